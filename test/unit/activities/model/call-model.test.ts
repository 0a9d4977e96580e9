// An activity context of the SDK's own mock; no server.
import { CachedResponse } from '../../../../src/activities/model/call-model';
import { limits } from '../../../../src/protocol/limits';
import type { ModelResponse } from '../../../../src/providers/provider';
import { noUsage } from '../../core/builders';
import { QuietActivity } from '../quiet-activity';

const answerOf = (text: string): ModelResponse => ({
  content: [{ type: 'text', text }],
  usage: noUsage,
  finishReason: 'stop',
  origin: { provider: 'mine', model: 'one', api: 'mine' },
});

/** What an attempt keeps of what its model answers, when it starts with these details of the one before. */
async function attempt(
  call: () => Promise<ModelResponse>,
  heartbeatDetails?: unknown,
): Promise<{ readonly kept: readonly unknown[]; readonly answer: ModelResponse | undefined }> {
  const kept: unknown[] = [];
  let held: CachedResponse | undefined;
  const work = async (): Promise<void> => {
    held = new CachedResponse((details) => void kept.push(details));
    try {
      await held.once(call);
      await held.once(() => Promise.reject(new Error('asked twice')));
    } catch (error) {
      kept.push((error as Error).message);
    }
  };
  await new QuietActivity({ heartbeatDetails }).run(work);
  return { kept, answer: held?.response };
}

describe('a cached response', () => {
  it('is kept once, and taken by the next attempt in place of a call', async () => {
    const answer = answerOf('hi');
    const first = await attempt(async () => answer);
    expect(first).toEqual({ kept: [{ response: answer }], answer });
    const second = await attempt(() => Promise.reject(new Error('called')), first.kept[0]);
    expect(second).toEqual({ kept: [], answer });
  });

  it.each([
    { name: 'at the limit', more: 0, isKept: true },
    { name: 'a byte above it', more: 1, isKept: false },
  ])('of a size $name', async ({ more, isKept }) => {
    const frame = JSON.stringify(answerOf('')).length;
    const answer = answerOf('x'.repeat(limits.modelTurn - frame + more));
    const { kept } = await attempt(async () => answer);
    expect(kept).toEqual(isKept ? [{ response: answer }] : [expect.stringContaining('at most')]);
  });
});
