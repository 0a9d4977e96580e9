import type { WorkerOptions } from '@temporalio/worker';
import type { DevServer } from '../src/server/dev/dev-server';

/** How the set-up of a Jest run tells the tests, which run in other processes, what there is. */
export const variables = {
  devServer: 'LONGHAUL_TEST_DEV_SERVER',
  devServerFailure: 'LONGHAUL_TEST_DEV_SERVER_FAILURE',
  testServer: 'LONGHAUL_TEST_TIME_SKIPPING_SERVER',
  testServerFailure: 'LONGHAUL_TEST_TIME_SKIPPING_SERVER_FAILURE',
  bundle: 'LONGHAUL_TEST_BUNDLE',
  bundleFailure: 'LONGHAUL_TEST_BUNDLE_FAILURE',
} as const;

type Shared = {
  ready?: Promise<unknown>;
  devServer?: DevServer;
  folder?: string;
};

const key = Symbol.for('longhaul.test.shared');
const realm = globalThis as unknown as Record<symbol, Shared | undefined>;

/** What set-up and teardown share: Jest loads them apart, in one process. */
export const shared: Shared = (realm[key] ??= {});

/** Address of the dev server of this Jest run; its namespace is `default`. */
export function devServerAddress(): string {
  return required(variables.devServer, variables.devServerFailure, 'dev server');
}

/** Executable of the time-skipping server. Each environment runs its own: time is one clock per server. */
export function timeSkippingServerPath(): string {
  return required(variables.testServer, variables.testServerFailure, 'time-skipping server');
}

/** File with the workflow bundle, for `workflowBundle: {codePath}`. */
export function workflowBundlePath(): string {
  return required(variables.bundle, variables.bundleFailure, 'workflow bundle');
}

/** For workers that run this bundle in the thread of their test: one of its own takes half a second to start. */
export function workflowsInThread(): Pick<WorkerOptions, 'workflowBundle' | 'debugMode'> {
  return { workflowBundle: { codePath: workflowBundlePath() }, debugMode: true };
}

/** `describe` where time can be skipped; elsewhere its tests are reported as skipped, by name. */
export function describeWithTimeSkipping(name: string, tests: () => void): void {
  const available = process.env[variables.testServer] !== undefined;
  (available ? describe : describe.skip)(name, tests);
}

function required(variable: string, failure: string, what: string): string {
  const value = process.env[variable];
  if (value) return value;
  const reason = process.env[failure] ?? 'this Jest project has no test/global-setup.ts';
  throw new Error(`No ${what} for this test: ${reason}`);
}
