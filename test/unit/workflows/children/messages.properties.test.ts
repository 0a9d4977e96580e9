// Pure: no server. Whatever anybody may send a run or a thread, with a fixed seed: it is taken whole, or refused by a typed error.

import { LonghaulError } from '../../../../src/protocol/errors';
import type { PendingInput } from '../../../../src/protocol/run';
import { inputAnswer, readAnswer, readCancelling } from '../../../../src/workflows/people/answers';
import { OpenInputs } from '../../../../src/workflows/people/open-inputs';
import { takeRunStart } from '../../../../src/workflows/run/load';
import {
  sendInput,
  takeThreadStart,
  turnsQuery,
} from '../../../../src/workflows/thread/thread-input';
import { childInputs, childOutcome } from '../../../../src/workflows/children/messages';

import fc from 'fast-check';

const seed = 20_261_122;

const input: PendingInput = {
  inputId: 'q1@1',
  kind: 'question',
  question: 'Which?',
  options: ['a'],
  agentId: 'helper',
  path: 'boss/helper',
  since: '2026-11-22T00:00:00.000Z',
};
const usage = {
  inputTokens: 1,
  outputTokens: 1,
  totalTokens: 2,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};
const result = {
  finalResponse: { text: 'Done.', content: [{ type: 'text', text: 'Done.' }] },
  iterations: 1,
  completionReason: 'text',
  delta: { set: { a: 1 }, removed: [] },
  spend: { usage, added: { tokens: 1 } },
};
const never = (): boolean => false;
const origin = { attempt: 1, parent: undefined } as never;

/** Every reader of what comes from outside, and a payload it takes. */
const readers: readonly { name: string; read: (payload: unknown) => unknown; right: object }[] = [
  {
    name: 'resume',
    read: (given) => readAnswer('answer', given),
    right: { answer: 'x', inputId: 'q1' },
  },
  {
    name: 'approve',
    read: (given) => readAnswer('approve', given),
    right: { inputId: 'a1', args: { to: 'Ann' } },
  },
  {
    name: 'reject',
    read: (given) => readAnswer('reject', given),
    right: { inputId: 'a1', reason: 'no' },
  },
  { name: 'cancelRun', read: readCancelling, right: { reason: 'enough' } },
  {
    name: 'deliver',
    read: (given) => inputAnswer(given, never),
    right: { kind: 'answer', inputId: 'q1', answer: 'x' },
  },
  {
    name: 'childInputs',
    read: (given) => childInputs(given, never),
    right: { child: 'c', branch: 'b', inputs: [input] },
  },
  {
    name: 'childResult',
    read: (given) => childOutcome(given, never),
    right: { child: 'c', result },
  },
  {
    name: 'childResult of one cancelled',
    read: (given) => childOutcome(given, never),
    right: { child: 'c', spend: { usage } },
  },
  {
    name: 'send',
    read: sendInput,
    right: {
      messageId: 'm',
      input: 'Hi',
      whenBusy: 'queue',
      context: {},
      budget: { maxTokens: 1 },
    },
  },
  { name: 'turns', read: turnsQuery, right: { last: 1, messageId: 'm', status: 'queued' } },
];

/** What is refused is refused by a typed error; undefined when it was taken. */
function refusal(read: () => unknown): LonghaulError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (LonghaulError.is(error)) return error;
    throw error;
  }
}

/** The payload with one place in it, at any depth, made something else or left out. */
function broken(payload: object): fc.Arbitrary<unknown> {
  const places: (readonly (string | number)[])[] = [];
  const walk = (value: unknown, path: readonly (string | number)[]): void => {
    if (path.length > 0) places.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value))
      walk(member, [...path, Array.isArray(value) ? Number(key) : key]);
  };
  walk(payload, []);
  return fc
    .tuple(fc.constantFrom(...places), fc.oneof(fc.jsonValue(), fc.constant(undefined)))
    .map(([path, value]) => {
      const copy = structuredClone(payload);
      const last = path.at(-1) as string;
      const holder = path
        .slice(0, -1)
        .reduce((at, key) => (at as Record<string, unknown>)[key] as object, copy);
      if (value === undefined && !Array.isArray(holder)) Reflect.deleteProperty(holder, last);
      else Reflect.set(holder, last, value ?? null);
      return copy;
    });
}

describe(`messages by anybody (seed ${seed})`, () => {
  it.each(readers)('$name is taken as it should be, and refused with a member more', (reader) => {
    expect(refusal(() => reader.read(reader.right))).toBeUndefined();
    const strange = refusal(() => reader.read({ ...reader.right, stranger: 1 }));
    expect(strange?.message).toContain('stranger');
  });

  it.each(readers)('$name is taken or refused, whatever it is', ({ read, right }) => {
    const anything = fc.oneof(fc.jsonValue(), fc.anything(), broken(right));
    fc.assert(
      fc.property(anything, (payload) => void refusal(() => read(payload))),
      { seed, numRuns: 400 },
    );
  });

  it('a run that is told anything of its children still says what it waits for, and what was refused changes nothing', () => {
    const right = { child: 'c', branch: 'b', inputs: [input, { ...input, inputId: 'q2@1' }] };
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.jsonValue(), broken(right)), { maxLength: 5 }), (told) => {
        const requests = new OpenInputs();
        requests.publish([{ ...input, inputId: 'own' }]);
        for (const payload of told) {
          const before = JSON.stringify([requests.pending, requests.pauseSeq]);
          const refused = refusal(() => {
            const { child, branch, inputs } = childInputs(payload, never);
            requests.publishChild(child, inputs, branch);
          });
          if (refused !== undefined)
            expect(JSON.stringify([requests.pending, requests.pauseSeq])).toBe(before);
        }
        expect(requests.childThatAsked('own')).toBeUndefined();
        expect(requests.pending.every(({ inputId }) => typeof inputId === 'string')).toBe(true);
      }),
      { seed, numRuns: 400 },
    );
  });

  it.each([
    {
      name: 'a run',
      take: takeRunStart,
      right: { runner: 'a', input: 'Go', key: { userId: 'u' } },
    },
    {
      name: 'a thread',
      take: takeThreadStart,
      right: { runner: 'a', key: { appName: 'a', userId: 'u', sessionId: 's' }, idleTimeoutMs: 1 },
    },
  ])('$name that is started with anything starts, or says why it does not', ({ take, right }) => {
    expect(take({ input: right, carried: undefined }, origin).refused).toBeUndefined();
    fc.assert(
      fc.property(fc.oneof(fc.anything(), broken(right)), (given) => {
        const { given: taken, refused } = take({ input: given, carried: undefined }, origin);
        expect(typeof taken.runner === 'string' || refused === undefined).toBe(true);
        if (refused !== undefined) expect(LonghaulError.is(refused)).toBe(true);
      }),
      { seed, numRuns: 400 },
    );
  });

  it('an input that another run asked is not listed as asked by a child', () => {
    const requests = new OpenInputs();
    requests.publish([{ ...input, inputId: 'own' }]);
    requests.publishChild('c', [input]);
    for (const inputId of ['own', input.inputId]) {
      const stolen = refusal(() => requests.publishChild('d', [{ ...input, inputId }]));
      expect(stolen?.code).toBe('InvalidInput');
    }
    expect(requests.pending.map(({ inputId }) => inputId)).toEqual(['own', input.inputId]);
  });
});

describe('a carried state', () => {
  const start = { runner: 'a', input: 'Go' };
  const carried = new Uint8Array([1]);
  const continued = { attempt: 1, continuedFromExecutionRunId: 'before' };

  it.each([
    { name: 'of the execution that continued as new', from: continued, isTaken: true },
    { name: 'of a first execution', from: { attempt: 1 }, isTaken: false },
    { name: 'of a retry', from: { ...continued, attempt: 2 }, isTaken: false },
    {
      name: 'of a run that follows a failed one by a schedule',
      from: { ...continued, lastFailure: new Error('x') },
      isTaken: false,
    },
  ])('$name is taken: $isTaken', ({ from, isTaken }) => {
    const taken = takeRunStart({ input: start, carried }, from);
    expect(taken).toEqual(
      isTaken
        ? { given: start, carried }
        : { given: { runner: 'a' }, refused: expect.any(LonghaulError) as LonghaulError },
    );
  });
});
