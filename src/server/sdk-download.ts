import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version as sdkVersion } from '@temporalio/testing/package.json';
import { runCommand } from './run-command';
import { isExecutable, type Environment } from './search-path';

const downloadTimeoutMs = 20_000;

/** What the SDK can download, and the environment whose start makes it do so. */
const artifacts = {
  cli: { prefix: 'temporal', create: 'createLocal' },
  'test-server': { prefix: 'temporal-test-server', create: 'createTimeSkipping' },
} as const;

export type SdkArtifact = keyof typeof artifacts;

function cachedPath(artifact: SdkArtifact, env: Environment): string {
  const ending = process.platform === 'win32' ? '.exe' : '';
  const name = `${artifacts[artifact].prefix}-sdk-typescript-${sdkVersion}${ending}`;
  return join(env['TMPDIR'] || tmpdir(), name);
}

/** The executable that the SDK downloaded at some earlier time; its age does not matter to us. */
export function sdkCached(artifact: SdkArtifact, env: Environment): string {
  const path = cachedPath(artifact, env);
  if (isExecutable(path)) return path;
  throw new Error(`no ${path}`);
}

/**
 * Lets the SDK download the executable into its own cache. The SDK downloads only on the way to starting a server and cannot be
 * aborted, so it does both in a process of its own, which is killed when it takes too long.
 */
export async function sdkDownload(artifact: SdkArtifact, env: Environment): Promise<string> {
  const path = cachedPath(artifact, env);
  const partial = `${path}.downloading`;
  const someoneElseDownloads = existsSync(partial);
  const script = `require(${JSON.stringify(require.resolve('@temporalio/testing'))})
    .TestWorkflowEnvironment.${artifacts[artifact].create}()
    .then((environment) => environment.teardown())
    .catch((error) => { console.error(error.message); process.exitCode = 1; });`;
  try {
    await runCommand(process.execPath, ['-e', script], { env, timeoutMs: downloadTimeoutMs });
  } finally {
    if (!someoneElseDownloads) await rm(partial, { force: true });
  }
  return sdkCached(artifact, env);
}
