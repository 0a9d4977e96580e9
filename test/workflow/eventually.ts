/** Set by jest.config.js: how long a test of this project may take. */
declare const projectTimeout: number;

/** Waits until `check` holds; fails naming what was waited for, before the test's own time limit would fail it without. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
): Promise<void> {
  const timeoutMs = projectTimeout * 0.75;
  const deadline = Date.now() + timeoutMs;
  // Ever less often: to ask a server costs what the awaited work needs.
  for (let pause = 20; !(await check()); pause = Math.min(pause * 1.3, 200)) {
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
