// A client: starts a run, asks you what the agent asks, prints the answer. Usage: npm run ask -- 'Where is my order?'
import { createInterface } from 'node:readline/promises';
import { connect } from 'longhaul/client';

const terminal = createInterface({ input: process.stdin, output: process.stdout });
const longhaul = await connect();
const run = await longhaul.start('support', process.argv[2] ?? 'Where is my order?');
let outcome = await run.outcome();
while (outcome.kind === 'needs-input') {
  await run.resume(await terminal.question(`${outcome.question} `));
  outcome = await run.outcome();
}
console.log(outcome.result.finalResponse.text);
terminal.close();
await longhaul.close();
