// Pure: no server. What a run or a thread of a newer version tells this one.

import { isOfNewerVersion } from '../../../../src/core/stored-format';
import { inputAnswer } from '../../../../src/workflows/people/answers';
import { childInputs, childOutcome } from '../../../../src/workflows/children/messages';
import { takeRunStart } from '../../../../src/workflows/run/load';
import { takeThreadStart } from '../../../../src/workflows/thread/thread-input';
import { thrown } from '../../core/builders';

const always = (): boolean => true;
const never = (): boolean => false;

const input = {
  inputId: 'q1@1',
  kind: 'question',
  question: 'Which one?',
  agentId: 'a',
  path: 'a',
  since: '2026-11-25T00:00:00.000Z',
};
const spend = {
  usage: {
    inputTokens: 1,
    outputTokens: 1,
    totalTokens: 2,
    cacheReadTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
  },
};
const answer = { kind: 'answer', inputId: 'q1@1', answer: { added: 'stays' } };

describe('a message of a run of a newer version', () => {
  const messages = [
    {
      name: 'open inputs',
      read: childInputs,
      given: { child: 'c', added: 1, inputs: [{ ...input, added: { a: 1 } }] },
      known: { child: 'c', inputs: [input] },
    },
    {
      name: 'a spend',
      read: childOutcome,
      given: { child: 'c', spend: { ...spend, added: { tokens: 1, cents: 2 }, newer: 1 } },
      known: { child: 'c', spend: { ...spend, added: { tokens: 1 } } },
    },
    { name: 'an answer', read: inputAnswer, given: { ...answer, added: 1 }, known: answer },
  ] as const;

  it.each(messages)('is read without what this version does not know: $name', (message) => {
    expect(message.read(message.given, always)).toEqual(message.known);
  });

  it.each(messages)('is refused by a run that has refused one: $name', ({ read, given }) => {
    expect(thrown(() => read(given, never))).toMatchObject({
      message: expect.stringMatching(/is not (known|a member)/) as string,
    });
  });

  it('is refused if what this version knows is wrong', () => {
    const wrong = { child: 'c', added: 1, inputs: [{ ...input, kind: 'riddle', added: 1 }] };
    expect(thrown(() => childInputs(wrong, always))).toMatchObject({ code: 'InvalidInput' });
  });
});

describe('a start with a member that this version does not know', () => {
  const lineage = { root: 'root', path: 'root/step', ancestors: ['root'], depth: 1 };
  const parent = { workflowId: 'root', runId: 'r', namespace: 'default' };
  const below = { attempt: 1, parent };
  const first = { attempt: 1 };
  const continued = { attempt: 1, continuedFromExecutionRunId: 'r' };
  const run = { runner: 'a', input: 'Go', added: 1 };
  const thread = { runner: 'a', key: { appName: 'a', userId: 'u', sessionId: 's' }, added: 1 };
  const refusal = (
    start: object,
    origin: object,
    take: typeof takeRunStart | typeof takeThreadStart = takeRunStart,
  ): Error | undefined => take({ input: start, carried: undefined }, origin as never).refused;

  it.each([
    { name: 'a run that a run started', start: { ...run, lineage }, origin: below },
    {
      name: 'a run whose place has more',
      start: { runner: 'a', input: 'Go', lineage: { ...lineage, added: 1 } },
      origin: below,
    },
    {
      name: 'a run whose budget has more',
      start: { runner: 'a', input: 'Go', lineage, budget: { maxTokens: 1, maxCalls: 2 } },
      origin: below,
    },
    { name: 'a run that continued as new', start: run, origin: continued },
  ])('waits for a worker of the newer version: $name', ({ start, origin }) => {
    expect(isOfNewerVersion(refusal(start, origin))).toBe(true);
  });

  it('waits, too, in a thread that continued as new', () => {
    expect(isOfNewerVersion(refusal(thread, continued, takeThreadStart))).toBe(true);
  });

  it.each([
    { name: 'anybody', start: run, origin: first },
    { name: 'a workflow that is not ours', start: run, origin: below },
    { name: 'a run, and more is wrong', start: { ...run, lineage: 7 }, origin: below },
  ])('is refused from $name', ({ start, origin }) => {
    expect(refusal(start, origin)).toMatchObject({ code: 'InvalidInput' });
  });
});
