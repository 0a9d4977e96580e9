import type { WorkflowExecutionDescription } from '@temporalio/client';
import { isIdle } from '../../../../src/client/stream/idle';
import type { RunSource } from '../../../../src/client/stream/run-source';

const asked = { inputId: 'a1.0', kind: 'approval', question: 'May it run?' };

function run(memo: object, raw: object = {}): WorkflowExecutionDescription {
  const longhaul = { agent: 'agent', ...memo };
  return { runId: 'r', status: { name: 'RUNNING' }, memo: { longhaul }, raw } as never;
}

const root = run(
  { status: 'needs-input', pending: [asked] },
  { pendingChildren: [{ workflowId: 'below' }] },
);

describe('a run whose people must answer', () => {
  it.each([
    ['is idle while the run below asks', run({ status: 'needs-input', pending: [asked] }), true],
    ['is not while the run below waits for a message, having its answer', run({}), false],
    ['is not while the run below has a call', run({}, { pendingActivities: [{}] }), false],
    [
      'is not while the root does not list what is asked below',
      run({ status: 'needs-input', pending: [{ ...asked, inputId: 'q1.0' }] }),
      false,
    ],
  ])('%s', async (_, below, isSo) => {
    const source = { describe: () => Promise.resolve(below) } as unknown as RunSource;
    const known = { open: new Set(['a1.0']), sourceOf: () => source, isTold: () => true };
    expect(await isIdle(root, known)).toBe(isSo);
  });
});
