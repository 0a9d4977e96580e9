// Workers of versions that there are not: the workflows of this one, with a change.

import { readFileSync } from 'node:fs';
import type { CreateWorkerOptions } from '../../src/worker';
import { workflowBundlePath } from '../servers';

type Workflows = NonNullable<CreateWorkerOptions['workerOptions']>;

const formats = {
  state: 'core/machine/state-json.ts',
  plan: 'core/orchestration/stored-plan.ts',
  run: 'workflows/run/carried-run.ts',
  thread: 'workflows/thread/carried-thread.ts',
} as const;

/** The next version: it reads and writes the next number of these formats. */
export function nextVersion(
  raised: readonly (keyof typeof formats)[] = ['state', 'plan', 'run', 'thread'],
): Workflows {
  return workflowsWith((code) =>
    raised.reduce((whole, name) => {
      const [before, after = ''] = partedAt(whole, `!*** ./src/${formats[name]} ***!`);
      return (
        before +
        replaced(after, /\bconst (?:format|stateFormat) = 1\b/, (found) => found.replace('1', '2'))
      );
    }, code),
  );
}

/** A copy that begins each run with a timer. */
export function fork(): Workflows {
  const sdk = '_temporalio_workflow__WEBPACK_IMPORTED_MODULE_0__';
  const begin = /return storable\(await main\(\)\);/;
  return workflowsWith((code) =>
    replaced(code, begin, (found) => `void (0,${sdk}.sleep)(1); ${found}`),
  );
}

/** A version that knows nothing of what an answerer may do: it refuses the member. */
export function withoutRights(): Workflows {
  return workflowsWith((code) => replaced(code, /\bmay: \(0,[^\n]*/, () => ''));
}

/** A version in which the workflow of an agent has another type, too. */
export function nextMajor(type: string): Workflows {
  return workflowsWith((code) =>
    replaced(
      code,
      // A user's own file exports it again.
      /agentWorkflow: (\(\) => .*agentWorkflow\))/g,
      (found) => `${found}, ${found.replace('agentWorkflow:', `${type}:`)}`,
    ),
  );
}

function workflowsWith(change: (code: string) => string): Workflows {
  return { workflowBundle: { code: change(readFileSync(workflowBundlePath(), 'utf8')) } };
}

function partedAt(text: string, mark: string): readonly string[] {
  const place = text.indexOf(mark);
  if (place === -1) throw new Error(`the workflows have no ${mark}`);
  return [text.slice(0, place), text.slice(place)];
}

function replaced(text: string, part: RegExp, change: (found: string) => string): string {
  if (text.search(part) === -1) throw new Error(`the workflows have no ${String(part)}`);
  return text.replace(part, change);
}
