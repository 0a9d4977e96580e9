// Workflows run in the thread of their test (test/workflow/harness.ts). There, two habits of Temporal's SDK cost as much as the tests do.
const { promiseHooks } = require('node:v8');
const { Script } = require('node:vm');

const done = Symbol.for('longhaul.test.workflows-in-thread');

if (!promiseHooks[done]) {
  promiseHooks[done] = true;
  noteNoStacks();
  watchNothing();
}

/**
 * The SDK would note the stack of each promise of a workflow, which costs more with every file that a process of Jest runs. Node 22 keeps
 * what is in an AsyncLocalStorage by a hook of its own, made by this same function, which asks for `before` as well. It has to stay.
 */
function noteNoStacks() {
  const { createHook } = promiseHooks;
  promiseHooks.createHook = (hooks) => (hooks.before ? createHook(hooks) : () => undefined);
}

/** The limit that the SDK sets when it wants none: Node would start a thread for each call into a workflow, to watch it for 49 days. */
function watchNothing() {
  const none = 2 ** 32 - 1;
  const { runInContext } = Script.prototype;
  Script.prototype.runInContext = function (context, options) {
    const limit = options?.timeout === none ? undefined : options?.timeout;
    return runInContext.call(this, context, { ...options, timeout: limit });
  };
}
