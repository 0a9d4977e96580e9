const { default: Sequencer } = require('@jest/test-sequencer');
const { projects } = require('../../jest.config.js');

const order = projects.map((project) => project.displayName);
const nameOf = (test) => test.context.config.displayName.name;
const place = (test) => order.indexOf(nameOf(test));

/** The longest files, longest first: what begins last ends alone, with one core of two. Jest itself knows no times on a fresh checkout. */
const longest = [
  'unit/define/arguments/compile',
  'unit/boundaries',
  'contract/mcp',
  'e2e/live-faults',
  'e2e/live',
  'e2e/kill-worker',
  'e2e/web-chat',
  'workflow/encryption',
  'workflow/stream-faults',
  'e2e/examples',
  'workflow/continue-as-new',
  'e2e/cli-dev',
  'e2e/encryption',
  'workflow/bad-input',
  'workflow/thread-room',
  'e2e/servers',
  'workflow/reset-command',
  'workflow/fan-out',
  'e2e/demo',
  'workflow/external-storage',
  'workflow/once',
  'workflow/applications',
  'workflow/mcp',
  'workflow/cancel',
  'e2e/cli-specs',
  'e2e/cli',
  'workflow/restart',
  'e2e/example-specs',
  'workflow/random-trees',
  'e2e/cli-reads',
  'replay/suite-histories',
];
const length = ({ path }) => {
  const index = longest.findIndex((name) => path.endsWith(`/${name}.test.ts`));
  return index < 0 ? longest.length : index;
};

/**
 * The projects in the order of jest.config.js; inside each the longest files, then Jest's own order (failed last time, then the slow ones). Tells the tests,
 * whose processes start later, when the run began and whether the tests of workflows are part of it.
 */
module.exports = class ProjectSequencer extends Sequencer {
  sort(tests) {
    process.env.LONGHAUL_TEST_SINCE = new Date().toISOString();
    const hasWorkflows = tests.some((test) => nameOf(test) === 'workflow');
    process.env.LONGHAUL_TEST_WORKFLOWS = hasWorkflows ? 'yes' : 'no';
    return super
      .sort(tests)
      .sort((one, other) => place(one) - place(other) || length(one) - length(other));
  }
};
