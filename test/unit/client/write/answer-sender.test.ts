// Pure: no server. A fake client notes what it would send.
import type { Client } from '@temporalio/client';
import { AnswerSender, type SentAnswer } from '../../../../src/client/write/answer-sender';
import { workflowTypes } from '../../../../src/protocol/names';
import type { Actor } from '../../../../src/protocol/people';
import type { AnsweredBy } from '../../../../src/protocol/run';

type Sent = { readonly updateId: string; readonly args: readonly unknown[] };

const approval: SentAnswer = {
  name: 'approve',
  said: ['approve', null],
  input: { inputId: 'a1.0' },
};

async function sent(options: AnsweredBy, actor?: Actor): Promise<Sent> {
  const updates: Sent[] = [];
  const client = {
    withDeadline: (_deadline: number, call: () => unknown) => call(),
    withAbortSignal: (_signal: AbortSignal, call: () => unknown) => call(),
    options: { namespace: 'default' },
    workflowService: { describeTaskQueue: () => new Promise(() => undefined) },
    workflow: {
      getHandle: () => ({
        executeUpdate: (_name: string, update: Sent) => {
          updates.push(update);
          return Promise.resolve({ accepted: true, inputId: 'a1.0', missing: 1 });
        },
        query: () => Promise.resolve({ nonce: 'n' }),
        describe: () =>
          Promise.resolve({
            type: workflowTypes.agent,
            taskQueue: 'queue',
            status: { name: 'RUNNING' },
          }),
      }),
    },
  } as unknown as Client;
  const reply = await new AnswerSender(client, 'run', { actor }).send(approval, options);
  expect(reply).toEqual({ accepted: true, inputId: 'a1.0', missing: 1 });
  return updates[0] as Sent;
}

const ada: Actor = { id: 'ada', roles: ['finance'] };
const bob: Actor = { id: 'bob' };

describe('AnswerSender', () => {
  it('gives the same answer of an actor one update id, and that of another actor another', async () => {
    const all = await Promise.all([
      sent({}),
      sent({ by: ada }),
      sent({ by: { roles: ['finance'], id: 'ada' } }),
      sent({ by: bob }),
      sent({ by: ada, signature: 'signed' }),
      sent({}, ada),
    ]);
    const [bare, first, again, other, signed, byClient] = all.map(({ updateId }) => updateId);
    expect(again).toBe(first);
    expect(byClient).toBe(first);
    expect(new Set([bare, first, other, signed]).size).toBe(4);
  });

  it('lets the call say who acts, and sends nothing that was not said', async () => {
    const note = 'as the contract says';
    expect((await sent({ by: bob, note, seen: 'd' }, ada)).args).toEqual([
      { inputId: 'a1.0', by: bob, note, seen: 'd' },
    ]);
    expect((await sent({}, ada)).args).toEqual([{ inputId: 'a1.0', by: ada }]);
    expect((await sent({})).args).toEqual([{ inputId: 'a1.0' }]);
  });

  it.each<AnsweredBy>([
    { by: { id: '' } },
    { by: 'ada' as unknown as Actor },
    { by: { id: 'ada', admin: true } as Actor },
    { note: 'x'.repeat(3_000) },
  ])('refuses %j before it sends anything', async (options) => {
    await expect(sent(options)).rejects.toMatchObject({
      code: expect.stringMatching(/InvalidInput|InvalidAnswer|PayloadTooLarge/),
    });
  });
});
