const { createRequire } = require('node:module');

/** Jest brings it. */
const { TestEnvironment } = createRequire(require.resolve('jest'))('jest-environment-node');

const most = 200;

/** Keeps what the workers of a test file log (test/workflow/quiet.ts), and prints it if a test fails: a green run prints results only. */
module.exports = class QuietEnvironment extends TestEnvironment {
  lines = [];

  async setup() {
    await super.setup();
    this.global[Symbol.for('longhaul.test.log')] = (line) => {
      this.lines = [...this.lines, line].slice(-most);
    };
  }

  handleTestEvent({ name, test }) {
    if (name === 'test_start') this.lines = [];
    if (name === 'test_done' && test.errors.length > 0) process.stderr.write(this.lines.join(''));
  }
};
