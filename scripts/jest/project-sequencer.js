const { default: Sequencer } = require('@jest/test-sequencer');
const { projects } = require('../../jest.config.js');

const order = projects.map((project) => project.displayName);
const place = (test) => order.indexOf(test.context.config.displayName.name);

/**
 * The projects in the order of jest.config.js; inside each, Jest's own order (failed last time, then the slow ones). Tells the tests,
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
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
};
