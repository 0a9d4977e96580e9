import { LonghaulError } from '../../../src';
import type { Longhaul } from '../../../src/client';
import type { StoredMemoryTurn } from '../../../src/stores';
import { Caller } from '../../../scripts/torture/client.mts';
import type { MessagePlan, ThreadPlan } from '../../../scripts/torture/plan.mts';
import { runThread } from '../../../scripts/torture/run-thread.mts';
import type { TortureSetup } from '../../../scripts/torture/run-tree.mts';
import { answerOf, messageOf } from '../../../scripts/torture/texts.mts';

const message: MessagePlan = {
  name: 'c1.m1',
  size: { bytes: 100, deflates: true },
  picture: { bytes: 56_336, deflates: true },
  turns: [],
  answer: { bytes: 20, deflates: true },
};

const plan: ThreadPlan = {
  id: 'c1',
  window: undefined,
  hasStore: true,
  operations: [{ kind: 'send', burst: [message] }],
};

/** A conversation with one turn. Its picture is in a result store, and the store of turns only names it. */
function setupOf(report: (wrong: string) => void): TortureSetup {
  const input = messageOf(message);
  if (typeof input === 'string') throw new Error('there is no picture');
  const contents = new Map<string, Uint8Array>();
  const user = input.map((part) => {
    if (part.type !== 'media' || part.source.kind !== 'base64') return part;
    const bytes = Buffer.from(part.source.data, 'base64');
    contents.set('digest', bytes);
    const source = { kind: 'stored' as const, digest: 'digest', bytes: bytes.byteLength };
    return { ...part, source };
  });
  const text = answerOf({ id: message.name, answer: message.answer });
  const turn = {
    workflowId: 'turn-1',
    outcome: () => Promise.resolve({ kind: 'complete', result: { finalResponse: { text } } }),
  };
  let turns: readonly Pick<StoredMemoryTurn, 'user' | 'assistant'>[] = [{ user, assistant: text }];
  const clear = (): Promise<void> => {
    turns = [];
    return Promise.resolve();
  };
  const nothing = (): Promise<void> => Promise.resolve();
  const noRun = (): Promise<void> => Promise.reject(new LonghaulError('RunNotFound', 'no run'));
  const longhaul = {
    thread: () => ({ threadId: 'thread', key: {}, send: () => Promise.resolve(turn), clear }),
    run: () => ({ reset: noRun }),
    content: (workflowId: string, { digest }: { readonly digest: string }) =>
      Promise.resolve(contents.get(workflowId === 'thread' ? digest : '')),
    client: { workflow: { getHandle: () => ({ cancel: nothing, result: nothing }) } },
  };
  const memory = {
    loadTurns: () => Promise.resolve(turns),
    count: () => Promise.resolve(turns.length),
  };
  return {
    longhaul: longhaul as unknown as Longhaul,
    memory,
    caller: new Caller(report),
    settles: () => Promise.resolve(true),
    report,
  } as unknown as TortureSetup;
}

describe('a conversation of a torture round', () => {
  it('knows a turn whose picture is in the result store', async () => {
    const wrongs: string[] = [];
    const setup = setupOf((wrong) => wrongs.push(wrong));
    await runThread(setup, plan, { signal: new AbortController().signal });
    expect(wrongs).toEqual([]);
  });
});
