// Workflows run in the thread of their test (test/workflow/harness.ts). Temporal's SDK would note the stack of each of their promises there, which
// costs as much as the tests do, and more with every file that a process of Jest runs.
require('node:v8').promiseHooks.createHook = () => () => undefined;
