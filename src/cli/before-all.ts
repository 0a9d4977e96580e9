import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder, makePrivate, nodeProblem } from '../server/machine';

// `main` imports this file first. A Node that is too old cannot even load the modules that come after it.
const problem = nodeProblem(process.version);
if (problem !== undefined) {
  process.stderr.write(`error: ${problem}\n`);
  process.exit(1);
}

// Node caches compiled modules between commands, which saves a quarter of each start. The cache applies only to modules that load after
// this, and only to this process. Node runs code from the cache, so the folder must belong to this user.
try {
  const named = process.env['NODE_COMPILE_CACHE'];
  if (named === undefined) makePrivate(cacheFolder(process.env));
  enableCompileCache(named ?? makePrivate(join(cacheFolder(process.env), 'compiled')));
} catch {
  // Without the folder the command only starts slower.
}
