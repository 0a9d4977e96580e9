const { default: Sequencer } = require('@jest/test-sequencer');
const { projects } = require('../../jest.config.js');

const order = projects.map((project) => project.displayName);
const place = (test) => order.indexOf(test.context.config.displayName.name);

/** The projects in the order of jest.config.js; inside each, Jest's own order (failed last time, then the slow ones). */
module.exports = class ProjectSequencer extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
};
