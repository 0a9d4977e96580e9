// Workflows run in the thread of their test (test/workflow/harness.ts). There, two habits of Temporal's SDK cost as much as the tests do.
const { Script } = require('node:vm');

// It would note the stack of each promise of a workflow, which costs more with every file that a process of Jest runs.
require('node:v8').promiseHooks.createHook = () => () => undefined;

/**
 * The limit that the SDK sets when it wants none: Node would start a thread for each call into a workflow, to watch it for 49 days. Node 22
 * needs it: without a limit, workflows never go on there.
 */
const none = 2 ** 32 - 1;
const unwatched = Symbol.for('longhaul.test.unwatched');
const { runInContext } = Script.prototype;
const needsLimit = Number.parseInt(process.versions.node, 10) < 24;
if (!needsLimit && !runInContext[unwatched]) {
  Script.prototype.runInContext = function (context, options) {
    const limit = options?.timeout === none ? undefined : options?.timeout;
    return runInContext.call(this, context, { ...options, timeout: limit });
  };
  Script.prototype.runInContext[unwatched] = true;
}
