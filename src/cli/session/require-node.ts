import { nodeProblem } from '../../server/node-version';

// Imported first: what the commands need cannot even be loaded by a Node that is too old.
const problem = nodeProblem(process.version);
if (problem !== undefined) {
  process.stderr.write(`error: ${problem}\n`);
  process.exit(1);
}
