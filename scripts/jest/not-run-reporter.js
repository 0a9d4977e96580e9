/** Names every test that was skipped, so that no skip goes unseen. */
module.exports = class NotRunReporter {
  constructor(globalConfig) {
    this.filtered = Boolean(globalConfig.testNamePattern);
  }

  onRunComplete(_contexts, { testResults }) {
    if (this.filtered) return;
    for (const { displayName, testResults: tests } of testResults) {
      for (const { fullName, status } of tests) {
        if (status === 'pending' || status === 'todo') {
          console.log(`not run: ${displayName.name} › ${fullName}`);
        }
      }
    }
  }
};
