// Workflows of builds that nobody has written yet, as newer workers of a rolling deploy have them: those of this build with other commands,
// behind patches, and with newer formats of what a run carries. Build 0 is this one, and each build knows those before it.
//
// 1. A worker of an older build meets markers of patches that it does not know, and states that it cannot read. The workflow task fails, and
//    is tried again until a worker of a newer build has it.
// 2. The changes are made in the text of the bundle. A text that has moved fails, in place of a next build that is none.

import { readFileSync } from 'node:fs';
import type { Workflows } from './sandbox';
import { bundlePath } from './source-lines';

type Edit = { readonly from: string; readonly to: string; readonly times: number };

const patchPrefix = 'next-build-';

/** Whether workflow code has one of the build's patches: those of a run that began before are new to it where it goes on. */
const isPatched = (build: number): string =>
  `${JSON.stringify(Array.from({ length: build }, (_, index) => `${patchPrefix}${index + 1}`))}` +
  '.filter((id) => (0, workflow_1.patched)(id)).length > 0';

const editsOf = (build: number): readonly Edit[] => [
  { from: 'const format = 1;', to: `const format = ${build + 1};`, times: 3 },
  { from: 'exports.stateFormat = 1;', to: `exports.stateFormat = ${build + 1};`, times: 1 },
  // After an answer, a run waits for a moment.
  {
    from: 'const due = await this.#inputs.wait(isDone);\n        if (answered())\n            return;',
    to: `const due = await this.#inputs.wait(isDone);\n        if (answered())\n            return ${isPatched(build)} ? (0, workflow_1.sleep)(1) : undefined;`,
    times: 1,
  },
  // Beside some model calls there is a timer that nobody waits for.
  {
    from: 'const result = await this.#models.call(turn);',
    to: `if (turn % 3 === 2 && ${isPatched(build)}) (0, workflow_1.sleep)(1).catch(() => undefined); const result = await this.#models.call(turn);`,
    times: 1,
  },
];

const builds = new Map<number, Workflows>();

/** Throws if the bundle does not have the texts that this changes. */
export function workflowsOf(build: number): Workflows {
  if (build === 0) return { codePath: bundlePath };
  const known = builds.get(build);
  if (known !== undefined) return known;
  let code = readFileSync(bundlePath, 'utf8');
  for (const { from, to, times } of editsOf(build)) {
    const parts = code.split(from);
    if (parts.length !== times + 1)
      throw new Error(
        `the bundle has this text ${parts.length - 1} times, not ${times}. Correct next-build.ts: ${from}`,
      );
    code = parts.join(to);
  }
  const made = { code };
  builds.set(build, made);
  return made;
}
