const minute = 60_000;
const servers = {
  globalSetup: '<rootDir>/test/global-setup.ts',
  globalTeardown: '<rootDir>/test/global-teardown.ts',
  setupFiles: ['<rootDir>/scripts/jest/workflows-in-thread.js'],
};

/** Tests that ask nothing of the real server: they run in the simulator, on virtual time. */
const simulatedFiles = [
  ...[
    'accepts',
    'agent',
    'agent-loop',
    'answer-shapes',
    'approvals',
    'audit',
    'budgets',
    'callbacks',
  ],
  ...['client-tools', 'context', 'pauses', 'stream', 'sub-agents'],
  ...['context-dialects', 'definition', 'early-stop', 'forged-input', 'history-growth', 'inline'],
  ...['inline-forged', 'inline-specs', 'invalid-tool-call-callbacks', 'log', 'migrate'],
  ...['nested-approval', 'orchestration', 'orchestration-pauses', 'redeploy', 'steering', 'trace'],
  ...['tree-ends', 'worker-hooks', 'cached-response', 'continue-as-new', 'deferred'],
  ...['failing-code', 'http', 'http-ag-ui', 'migrate-command', 'query-ahead', 'reset-command'],
  ...['stored-results', 'stores', 'thread', 'thread-continue', 'thread-room'],
  ...['activity-tool', 'bad-input', 'external-storage', 'fan-out', 'growing-codec'],
  ...['inline-heartbeat', 'reset', 'sessions-and-policies', 'stored-inputs', 'thread-stores'],
  ...['deferred-tree', 'hooks-around-scheduled-calls', 'http-rights', 'inline-cut'],
  ...['moving', 'random-trees', 'steering-ends', 'tool-media', 'traces', 'why', 'wire-faults'],
  'worker-handover',
];

const simulated = {
  displayName: 'simulated',
  files: `<rootDir>/test/workflow/{${simulatedFiles.join(',')}}.test.ts`,
  globalSetup: '<rootDir>/test/build-package.ts',
  setupFiles: ['<rootDir>/scripts/jest/workflows-in-thread.js'],
  modules: { '^\\./harness$': '<rootDir>/test/simulator/harness.ts' },
};

/** Some of them, and one on the server, again with no workflow kept in memory: every task replays the run from its beginning. */
const uncached = {
  ...simulated,
  displayName: 'uncached',
  files: '<rootDir>/test/workflow/{pauses,sub-agents}.test.ts',
  setupFiles: [...simulated.setupFiles, '<rootDir>/scripts/jest/uncached.js'],
};

const uncachedOnServer = {
  ...servers,
  displayName: 'uncached-on-server',
  files: '<rootDir>/test/workflow/cancel.test.ts',
  setupFiles: uncached.setupFiles,
};

/**
 * They run in this order: the fast ones first, `replay` last, which replays what the others left on the dev server. The servers
 * start only when a project that needs them runs. The time limits are for busy machines: a test that passes takes a fraction.
 */
const projects = [
  { displayName: 'unit', timeout: minute },
  { displayName: 'contract', timeout: minute },
  {
    displayName: 'simulator',
    timeout: 4 * minute,
    ...servers,
    globalSetup: '<rootDir>/test/e2e/global-setup.ts',
  },
  { timeout: minute, ...simulated },
  { timeout: minute, ...uncached },
  {
    displayName: 'workflow',
    timeout: 4 * minute,
    ...servers,
    testPathIgnorePatterns: [
      '/node_modules/',
      `/workflow/(?:${simulatedFiles.join('|')})\\.test\\.ts$`,
    ],
  },
  { timeout: 4 * minute, ...uncachedOnServer },
  {
    displayName: 'e2e',
    timeout: 6 * minute,
    ...servers,
    globalSetup: '<rootDir>/test/e2e/global-setup.ts',
  },
  { displayName: 'replay', timeout: 4 * minute, ...servers },
];

const typescript = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
  module: { type: 'commonjs' },
  swcrc: false,
};

/** Packages that are only ES modules, which Jest cannot require. */
const modules = '/node_modules/(?:ai/|@ai-sdk/|eventsource-parser/|@workflow/).*\\.js$';

/** @type {import('jest').Config} */
module.exports = {
  // One more than the cores of a small machine: tests of workflows wait for a server half of their time.
  maxWorkers: 3,
  // A process of a gigabyte takes its time to end on a busy machine: half a second, the default, is reported as a leak.
  workerGracefulExitTimeout: 10_000,
  reporters: ['default', '<rootDir>/scripts/jest/not-run-reporter.js'],
  testSequencer: '<rootDir>/scripts/jest/project-sequencer.js',
  coverageReporters: ['text', 'lcovonly'],
  collectCoverageFrom: ['src/{base,core,protocol,agent-run}/**/*.ts'],
  coverageThreshold: {
    './src/base/': { statements: 95, branches: 95, functions: 95, lines: 95 },
    './src/agent-run/': { statements: 95, branches: 95, functions: 95, lines: 95 },
    './src/core/': { statements: 95, branches: 95, functions: 95, lines: 95 },
    './src/protocol/': { statements: 95, branches: 95, functions: 95, lines: 95 },
  },
  projects: projects.map(({ timeout, files, modules: mapped, ...project }) => ({
    ...project,
    rootDir: __dirname,
    testEnvironment: '<rootDir>/scripts/jest/quiet-environment.js',
    testMatch: [files ?? `<rootDir>/test/${project.displayName}/**/*.test.ts`],
    globals: { projectTimeout: timeout },
    setupFilesAfterEnv: ['<rootDir>/scripts/jest/project-timeout.js'],
    modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/\\.build-'],
    transform: { '\\.m?ts$': ['@swc/jest', typescript], [modules]: ['@swc/jest', typescript] },
    transformIgnorePatterns: ['/node_modules/(?!ai/|@ai-sdk/|eventsource-parser/|@workflow/)'],
    moduleNameMapper: {
      ...mapped,
      '^zod/v4/locales/(.*)\\.js$': '<rootDir>/node_modules/zod/v4/locales/$1.cjs',
      '^longhaul$': '<rootDir>/src/index.ts',
      '^longhaul/(agent-run|client|stores|worker)$': '<rootDir>/src/$1.ts',
      '^longhaul/(http|workflows|testing)$': '<rootDir>/src/$1/index.ts',
    },
  })),
};
