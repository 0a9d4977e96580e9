// Pure: no server.
import {
  checkTurn,
  checkStructured,
  type TurnToCheck,
} from '../../../../src/activities/model/turn-checks';
import type { AssistantPart, FinishReason } from '../../../../src/protocol/message';
import { withinTime } from '../../../../src/define/arguments/within-time';
import { call, malformed, noUsage, text } from '../../core/builders';

const city = {
  type: 'object',
  properties: { city: { type: 'string' }, celsius: { type: 'number' } },
  required: ['city', 'celsius'],
  additionalProperties: false,
};

describe('checkStructured', () => {
  it.each([
    { name: 'an object', reply: '{"a":1}', value: { a: 1 } },
    { name: 'a list', reply: '[1,2]', value: [1, 2] },
    { name: 'white space around', reply: ' \n{"a":1}\n ', value: { a: 1 } },
    { name: 'a fence', reply: '```\n{"a":1}\n```', value: { a: 1 } },
    { name: 'a fence with a language', reply: '```json\n{"a":1}\n```\n', value: { a: 1 } },
    { name: 'Windows line ends', reply: '```json\r\n{"a":1}\r\n```', value: { a: 1 } },
    { name: 'a fence in a string', reply: '```json\n{"a":"```"}\n```', value: { a: '```' } },
    { name: 'an empty object', reply: '{}', value: {} },
  ])('takes $name', ({ reply, value }) => {
    expect(checkStructured(reply, undefined)).toEqual({ met: true, value });
  });

  it.each([
    { name: 'text', reply: 'It is warm.' },
    { name: 'nothing', reply: '' },
    { name: 'text before the JSON', reply: 'Here: {"a":1}' },
    { name: 'text after the fence', reply: '```json\n{"a":1}\n```\nHope that helps.' },
    { name: 'two fences', reply: '```json\n{"a":1}\n```\n```json\n{"a":2}\n```' },
    { name: 'a cut reply', reply: '{"a":' },
    { name: 'single quotes', reply: "{'a':1}" },
    { name: 'an empty fence', reply: '```json\n\n```' },
  ])('refuses $name as no JSON', ({ reply }) => {
    expect(checkStructured(reply, undefined)).toEqual({ met: false, missing: 'it is not JSON' });
  });

  it.each([{ reply: '"text"' }, { reply: '42' }, { reply: 'null' }, { reply: 'true' }])(
    'refuses $reply, which is neither object nor list',
    ({ reply }) => {
      expect(checkStructured(reply, undefined)).toEqual({
        met: false,
        missing: 'it is neither a JSON object nor a list',
      });
    },
  );

  it('takes what matches the schema', () => {
    const value = { city: 'Paris', celsius: 22 };
    expect(checkStructured(JSON.stringify(value), city)).toEqual({ met: true, value });
  });

  it.each([
    { name: 'a missing property', reply: '{"city":"Paris"}', missing: /celsius/ },
    {
      name: 'a wrong type',
      reply: '{"city":"Paris","celsius":"warm"}',
      missing: /celsius.*number/,
    },
    { name: 'a list instead of an object', reply: '[]', missing: /object/ },
  ])('names $name', ({ reply, missing }) => {
    const result = checkStructured(reply, city);
    expect(result).toEqual({ met: false, missing: expect.stringMatching(missing) as string });
  });

  it.each([
    {
      name: 'nesting that nothing could store',
      reply: `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      missing: /nested/,
    },
    { name: 'a number that JSON has no place for', reply: '{"n":1e999}', missing: /^n: Infinity/ },
    { name: 'a reserved key', reply: '{"a":{"__proto__":1}}', missing: /__proto__/ },
  ])('refuses $name, with a schema or without', ({ reply, missing }) => {
    for (const schema of [undefined, {}]) {
      const result = checkStructured(reply, schema);
      expect(result).toEqual({ met: false, missing: expect.stringMatching(missing) as string });
    }
  });

  it('names the first few of many problems in little text', () => {
    const schema = { type: 'array', items: { type: 'number' } };
    const reply = JSON.stringify(Array.from({ length: 5_000 }, () => 'x'.repeat(100)));
    const { missing = '' } = checkStructured(reply, schema);
    expect(missing.split('; ').length).toBeLessThanOrEqual(5);
    expect(Buffer.byteLength(missing)).toBeLessThanOrEqual(1_000);
  });

  it.each([
    { name: 'fences', reply: '```json\n'.repeat(100_000) },
    { name: 'white space', reply: `\`\`\`json\n${' \n'.repeat(500_000)}x` },
    { name: 'brackets', reply: `${'['.repeat(200_000)}${']'.repeat(200_000)}` },
  ])('is done soon with very many $name', ({ reply }) => {
    expect(withinTime(20_000, () => checkStructured(reply, undefined))).toBeDefined();
  });
});

describe('judge', () => {
  const asked: string[] = [];
  beforeEach(() => asked.splice(0));

  const checked = async (
    content: AssistantPart[],
    spec: Partial<TurnToCheck['spec']> = {},
    finishReason: FinishReason = 'stop',
  ) =>
    await checkTurn({
      definition: {
        format: 1,
        runner: 'a',
        runners: {},
        tools: {
          add: { name: 'add', description: 'x', inputSchema: {}, needsApproval: 'ask' },
          remote: {
            name: 'remote',
            description: 'x',
            inputSchema: {},
            activity: { type: 'Remote' },
          },
          free: { name: 'free', description: 'x', inputSchema: {} },
        },
      },
      spec: { kind: 'agent', id: 'a', model: { provider: 'p', model: 'm' }, ...spec },
      response: {
        content,
        usage: noUsage,
        finishReason,
        origin: { provider: 'p', api: 'x', model: 'm' },
      },
      checkApproval: async (_tool, { callId }) => {
        asked.push(callId);
        return callId !== 'small';
      },
      checkArguments: async ({ name }, args) => ('bad' in args ? `${name} has bad` : undefined),
      checkCriterion: async (name, reply) => ({
        met: reply.includes(name),
        missing: `say ${name}`,
      }),
    });

  it.each(['pause', 'refusal'] as const)(
    'checks no text of a turn that ended by %s',
    async (reason) => {
      const criteria = [{ kind: 'custom' as const, name: 'polite' }];
      expect(await checked([text('Searching')], { criteria }, reason)).toBeUndefined();
      expect(await checked([text('Searching')], { criteria })).toBeDefined();
    },
  );

  it('has nothing to say of most turns', async () => {
    expect(await checked([text('hello')])).toBeUndefined();
    expect(await checked([call('c1', 'free')])).toBeUndefined();
    expect(await checked([call('small')])).toBeUndefined();
  });

  it('asks about each call whose tool has a function for it, and gives their places among the calls', async () => {
    const content = [
      text('wait'),
      call('c1', 'free'),
      call('c2'),
      malformed('c3'),
      call('small'),
      call('c5', 'unknown'),
      call('c6'),
    ];
    expect(await checked(content)).toEqual({ approvals: [1, 5] });
    expect(asked).toEqual(['c2', 'small', 'c6']);
  });

  it('says what is wrong with the arguments of calls that activities of ours do not run', async () => {
    const content = [
      call('c1', 'free', { bad: 1 }),
      call('c2', 'remote', { bad: 1 }),
      call('c3', 'remote'),
      call('c4'),
    ];
    expect(await checked(content)).toEqual({
      approvals: [3],
      argumentProblems: [{ index: 1, text: 'remote has bad' }],
    });
  });

  it('checks the criteria of a text in the order of the spec, and those it knows nothing of not at all', async () => {
    const spec = {
      criteria: [
        { kind: 'custom', name: 'thanks' },
        { kind: 'keyword', keyword: 'x' },
        { kind: 'structured-output' },
      ],
    } as const;
    expect(await checked([text('{"a":'), text('"thanks"}')], spec)).toEqual({
      criteria: [
        { met: true, missing: 'say thanks' },
        { met: true, value: { a: 'thanks' } },
      ],
    });
  });

  it.each<{ name: string; content: AssistantPart[] }>([
    { name: 'a question', content: [text(' \n__ask_user__: thanks?')] },
    { name: 'a question in two parts', content: [text('__ask_'), text('user__: thanks?')] },
    { name: 'nothing', content: [] },
    { name: 'an empty text', content: [text('')] },
    { name: 'reasoning alone', content: [{ type: 'reasoning', text: 'thanks' }] },
    { name: 'a refusal', content: [{ type: 'refusal', text: 'no thanks' }] },
  ])('checks no criteria of $name, which none of them decides about', async ({ content }) => {
    const spec = { criteria: [{ kind: 'custom', name: 'thanks' }] } as const;
    expect(await checked(content, spec)).toBeUndefined();
  });

  it('checks no criteria while there are calls', async () => {
    const spec = { criteria: [{ kind: 'custom', name: 'thanks' }] } as const;
    expect(await checked([text('thanks'), call('c1', 'free')], spec)).toBeUndefined();
  });
});
