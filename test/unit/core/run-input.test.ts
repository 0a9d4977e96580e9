// Pure: no server.
import { checkRunInput, withoutNulls } from '../../../src/core/run-input';
import {
  InvalidInput,
  PayloadTooLarge,
  SessionTooLarge,
} from '../../../src/protocol/error-classes';
import { limits } from '../../../src/protocol/limits';
import { thrown } from './builders';

const image = { type: 'media', mediaType: 'image/png', source: { kind: 'url', url: 'x' } };
const run = (fields: object = {}): object => ({ runner: 'clerk', input: 'Go', ...fields });
const lineage = { root: 'root', path: 'root/step', ancestors: ['root'], depth: 1 };
const nested = 'refers to itself';

describe('checkRunInput', () => {
  it.each<{ name: string; input: object }>([
    { name: 'an id and a text', input: run() },
    { name: 'a spec', input: run({ runner: { kind: 'agent', id: 'clerk' } }) },
    {
      name: 'the empty text of the step before it, of a child',
      input: run({ input: '', lineage }),
    },
    { name: 'parts', input: run({ input: [{ type: 'text', text: 'See' }, image] }) },
    { name: 'a budget that is used up', input: run({ budget: { maxTokens: 0 } }) },
    { name: 'what is left out as null', input: run({ session: null, key: null, context: null }) },
    {
      name: 'a key, and what of it is left out as null',
      input: run({ key: { userId: 'ada', sessionId: null } }),
    },
    { name: 'keys it does not know, of a client that is newer', input: run({ later: 1 }) },
    {
      name: 'a text just as long as it may be',
      input: run({ input: 'x'.repeat(limits.input - 2) }),
    },
  ])('takes $name', ({ input }) => {
    expect(() => checkRunInput(input)).not.toThrow();
  });

  it.each<{ name: string; input: unknown; message: string; code?: string }>([
    {
      name: 'no object',
      input: null,
      message: 'a run is started with {"runner": "<id>", "input": "<text>"}, not with null',
    },
    {
      name: 'a list',
      input: [],
      message: 'a run is started with {"runner": "<id>", "input": "<text>"}, not with a list',
    },
    {
      name: 'no runner',
      input: { input: 'Go' },
      message: 'runner must be the id of a runner or its spec, not undefined',
    },
    {
      name: 'a runner that is no id',
      input: run({ runner: 'a clerk' }),
      message: "runner 'a clerk' is not an id: ",
    },
    {
      name: 'a spec without its id',
      input: run({ runner: { kind: 'agent' } }),
      message: 'runner is no spec of a runner: its id must match ',
    },
    {
      name: 'a spec that is too long',
      input: run({ runner: { id: 'clerk', instructions: 'x'.repeat(limits.definition) } }),
      message: `runner has ${limits.definition + '{"id":"clerk","instructions":""}'.length} bytes of JSON; at most ${limits.definition} are taken`,
      code: 'PayloadTooLarge',
    },
    {
      name: 'a key of a number',
      input: run({ key: { appName: 'shop', userId: 7 } }),
      message: 'key.userId must be a text, not a number',
    },
    {
      name: 'no input',
      input: { runner: 'clerk' },
      message: 'input must be a text or a list of text and media parts, not undefined',
    },
    {
      name: 'a list of nothing',
      input: run({ input: [] }),
      message: 'input must be a text or a list of text and media parts, not a list',
    },
    {
      name: 'a part without its text',
      input: run({ input: [{ type: 'text' }] }),
      message: 'input must be a text or a list of text and media parts, not a list',
    },
    {
      name: 'a part of another kind',
      input: run({ input: [{ type: 'tool_call' }] }),
      message: 'input must be a text or a list of text and media parts, not a list',
    },
    {
      name: 'a part that is none',
      input: run({ input: ['Go'] }),
      message: 'input must be a text or a list of text and media parts, not a list',
    },
    { name: 'an input of blanks', input: run({ input: ' \n' }), message: 'input is empty' },
    {
      name: 'an input that is too long',
      input: run({ input: 'é'.repeat(limits.input / 2) }),
      message: `input has ${limits.input + 2} bytes of JSON; at most ${limits.input} are taken`,
      code: 'PayloadTooLarge',
    },
    {
      name: 'a session that is no object',
      input: run({ session: ['a'] }),
      message: 'session must be a JSON object, not a list',
    },
    {
      name: 'a session that is too long',
      input: run({ session: { text: 'x'.repeat(limits.session) } }),
      message: `session has ${limits.session + 11} bytes of JSON; at most ${limits.session} are taken`,
      code: 'SessionTooLarge',
    },
    {
      name: 'a session that is not JSON',
      input: run({ session: { at: new Date(0) } }),
      message: 'session is not JSON at at: ',
    },
    {
      name: 'a context that is too long',
      input: run({ context: { text: 'x'.repeat(limits.context) } }),
      message: `context has ${limits.context + 11} bytes of JSON; at most ${limits.context} are taken`,
      code: 'PayloadTooLarge',
    },
    {
      name: 'a key that is a text',
      input: run({ key: 'ada' }),
      message: 'key must be a JSON object, not a string',
    },
  ])('refuses $name', ({ input, message, code = 'InvalidInput' }) => {
    expect(thrown(() => checkRunInput(input))).toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it.each<{ budget: unknown }>([
    { budget: {} },
    { budget: { onExceeded: 'ask' } },
    { budget: { maxTokens: -1 } },
    { budget: { maxTokens: '9' } },
    { budget: { maxCostUsd: null } },
    { budget: { maxTokens: 9, onExceeded: 'stop' } },
    { budget: { maxTokens: 9, maxToken: 9 } },
  ])('refuses the budget $budget', ({ budget }) => {
    expect(thrown(() => checkRunInput(run({ budget })))).toMatchObject({
      code: 'InvalidInput',
      message:
        "budget must be {maxTokens?, maxCostUsd?, onExceeded?: 'ask' | 'fail'} with at least one limit",
    });
  });

  it.each<{ input: object; type: new (message: string) => Error }>([
    { input: run({ input: 'x'.repeat(limits.input) }), type: PayloadTooLarge },
    { input: run({ session: { text: 'x'.repeat(limits.session) } }), type: SessionTooLarge },
    { input: run({ input: '' }), type: InvalidInput },
  ])('refuses by the class of its error: $type.name', ({ input, type }) => {
    expect(thrown(() => checkRunInput(input))).toBeInstanceOf(type);
  });

  it('refuses what refers to itself', () => {
    const context: { [key: string]: unknown } = { nested };
    context['self'] = context;
    expect(thrown(() => checkRunInput(run({ context })))).toMatchObject({ code: 'InvalidInput' });
  });
});

describe('withoutNulls', () => {
  it('leaves out what is null, and nothing else', () => {
    const input = run({ session: null, budget: null, context: { tenant: null }, key: undefined });
    expect(withoutNulls(input)).toStrictEqual(run({ context: { tenant: null }, key: undefined }));
  });
});
