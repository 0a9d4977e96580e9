const { default: Sequencer } = require('@jest/test-sequencer');
const { projects } = require('../../jest.config.js');

const order = projects.map((project) => project.displayName);
const place = (test) => order.indexOf(test.context.config.displayName.name);

/** The longest files, longest first: what begins last ends alone, with one core of two. Jest itself knows no times on a fresh checkout. */
const longest = [
  'unit/define/arguments/compile',
  'unit/boundaries',
  'contract/mcp',
  'workflow/random-trees',
  'workflow/encryption',
  'workflow/thread-stores',
  'workflow/fan-out',
  'workflow/restart',
  'workflow/continue-as-new',
  'workflow/bad-input',
  'workflow/applications',
  'workflow/once',
  'workflow/mcp',
  'e2e/kill-worker',
  'e2e/encryption',
  'e2e/cli-dev',
  'e2e/example-specs',
  'e2e/demo',
  'e2e/examples',
  'e2e/cli-specs',
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
    process.env.LONGHAUL_TEST_WORKFLOWS = tests.some(
      (test) => place(test) === order.indexOf('workflow'),
    )
      ? 'yes'
      : 'no';
    return super
      .sort(tests)
      .sort((one, other) => place(one) - place(other) || length(one) - length(other));
  }
};
