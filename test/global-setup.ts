import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { startDevServer } from '../src/server/dev/dev-server';
import { interceptorModules, sharedModules } from '../src/worker/bundle';
import { findTestServer } from '../src/testing/find-test-server';
import { shared, variables } from './servers';

/**
 * Starts what the tests of a whole Jest run share. Tests learn of it through environment variables, what could not be had
 * included, so that each test says for itself what it misses. It may be called by several set-ups: only the first call counts.
 */
export default async function globalSetup(): Promise<void> {
  shared.ready ??= Promise.all([serve(), provideTestServer(), provideBundle()]);
  await shared.ready;
}

async function serve(): Promise<void> {
  if (process.env[variables.devServer]) return;
  // The server keeps all runs in memory, which its garbage collector reads: let it run half as often.
  process.env['GOGC'] ??= '200';
  try {
    shared.devServer = await startDevServer({ headless: true });
    process.env[variables.devServer] = shared.devServer.address;
  } catch (error) {
    process.env[variables.devServerFailure] = messageOf(error);
  }
}

async function provideTestServer(): Promise<void> {
  try {
    process.env[variables.testServer] = await findTestServer();
  } catch (error) {
    process.env[variables.testServerFailure] = messageOf(error);
    process.stderr.write(`Tests that skip time are skipped. ${messageOf(error)}\n`);
  }
}

/** With the user's workflow of the recorded histories. */
async function provideBundle(): Promise<void> {
  const workflows = resolve(__dirname, '../src/workflows/index.ts');
  try {
    if (!existsSync(workflows)) throw new Error(`there is no ${workflows}`);
    const { code } = await bundleWorkflowCode({
      workflowsPath: resolve(__dirname, '../scripts/record-histories/own-workflow.ts'),
      workflowInterceptorModules: interceptorModules(),
      logger: new DefaultLogger('WARN'),
      preloadModules: sharedModules(),
      webpackConfigHook: (config) => ({
        ...config,
        resolve: {
          ...config.resolve,
          alias: { ...config.resolve?.alias, 'longhaul/workflows$': workflows },
        },
      }),
    });
    shared.folder = await mkdtemp(join(tmpdir(), 'longhaul-test-'));
    const path = join(shared.folder, `workflows-${randomBytes(4).toString('hex')}.js`);
    await writeFile(path, code);
    process.env[variables.bundle] = path;
  } catch (error) {
    process.env[variables.bundleFailure] = messageOf(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
