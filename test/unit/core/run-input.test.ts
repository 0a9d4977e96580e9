// Pure: no server.
import { checkRunInput, withoutNullMembers } from '../../../src/core/run-input';
import { limits } from '../../../src/protocol/limits';
import { thrown } from './builders';

const image = {
  type: 'media',
  mediaType: 'image/png',
  source: { kind: 'url', url: 'https://x.test/a.png' },
};
const run = (fields: object = {}): object => ({ runner: 'helper', input: 'Go', ...fields });
const lineage = { root: 'root', path: 'root/step', ancestors: ['root'], depth: 1 };
const nested = 'refers to itself';

describe('a media part', () => {
  const media = (mediaType: unknown, source: unknown): object =>
    run({
      input: [
        { type: 'text', text: 'See' },
        { type: 'media', mediaType, source },
      ],
    });

  it.each([
    media('image/png', { kind: 'base64', data: 'iVBORw==' }),
    media('application/vnd.ms-excel', { kind: 'url', url: 'gs://bucket/a.xls' }),
    media('audio/wav', { kind: 'ref', ref: 'file_1' }),
    media('image/png', { kind: 'stored', digest: 'a'.repeat(64), bytes: 20_000 }),
    run({ input: [image] }),
  ])('is taken whole: %j', (input) => {
    expect(() => checkRunInput(input)).not.toThrow();
  });

  it.each([
    {
      mediaType: 'png',
      source: { kind: 'ref', ref: 'f' },
      problem: '.mediaType must be a media type',
    },
    { mediaType: 'image/', source: { kind: 'ref', ref: 'f' }, problem: '.mediaType must be' },
    { mediaType: 'image/png', source: undefined, problem: '.source must be {kind: "base64"' },
    { mediaType: 'image/png', source: {}, problem: '.source must be {kind: "base64"' },
    { mediaType: 'image/png', source: { kind: 'path', path: 'a' }, problem: '.source must be' },
    { mediaType: 'image/png', source: { kind: 'base64' }, problem: '.source.data must be base64' },
    { mediaType: 'image/png', source: { kind: 'base64', data: '' }, problem: '.source.data' },
    { mediaType: 'image/png', source: { kind: 'base64', data: 'a b=' }, problem: '.source.data' },
    {
      mediaType: 'image/png',
      source: { kind: 'url', url: 'a.png' },
      problem: '.source.url must be',
    },
    { mediaType: 'image/png', source: { kind: 'ref', ref: ' ' }, problem: '.source.ref must be' },
    {
      mediaType: 'image/png',
      source: { kind: 'stored', digest: 'a'.repeat(63), bytes: 1 },
      problem: '.source.digest must be 64 hexadecimal digits',
    },
    {
      mediaType: 'image/png',
      source: { kind: 'stored', digest: 'a'.repeat(64), bytes: limits.inputPart + 1 },
      problem: '.source.bytes must be the size of the content',
    },
  ])(
    'is refused with the place of what is wrong: $mediaType $source',
    ({ mediaType, source, problem }) => {
      expect(thrown(() => checkRunInput(media(mediaType, source)))).toMatchObject({
        code: 'InvalidInput',
        message: expect.stringContaining(`input[1]${problem}`),
      });
    },
  );
});

describe('a text with stored content', () => {
  const stored = { digest: 'a'.repeat(64), bytes: 100_000 };

  it('is taken, and refused if it does not name the content', () => {
    const input = (more: object) => run({ input: [{ type: 'text', text: 'head', ...more }] });
    expect(() => checkRunInput(input({ stored }))).not.toThrow();
    expect(thrown(() => checkRunInput(input({ stored: { ...stored, digest: 7 } })))).toMatchObject({
      message: 'input[0].stored.digest must be 64 hexadecimal digits',
    });
  });
});

describe('checkRunInput', () => {
  it.each<{ name: string; input: object }>([
    { name: 'an id and a text', input: run() },
    { name: 'a spec', input: run({ runner: { kind: 'agent', id: 'helper' } }) },
    { name: 'parts', input: run({ input: [{ type: 'text', text: 'See' }, image] }) },
    { name: 'a budget that is used up', input: run({ budget: { maxTokens: 0 } }) },
    { name: 'what is left out as null', input: run({ session: null, key: null, context: null }) },
    {
      name: 'a key, and what of it is left out as null',
      input: run({ key: { userId: 'ada', sessionId: null } }),
    },
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
      message: 'the input of a run must be {"runner": "<id>", "input": "<text>"}, not null',
    },
    {
      name: 'a list',
      input: [],
      message: 'the input of a run must be {"runner": "<id>", "input": "<text>"}, not a list',
    },
    {
      name: 'no runner',
      input: { input: 'Go' },
      message: 'runner must be the id of a runner or its spec, not undefined',
    },
    {
      name: 'a runner that is no id',
      input: run({ runner: 'a helper' }),
      message: "runner 'a helper' is not an id: ",
    },
    {
      name: 'a spec without its id',
      input: run({ runner: { kind: 'agent' } }),
      message: 'runner must be a spec with an id that matches ',
    },
    {
      name: 'a spec that is too long',
      input: run({ runner: { id: 'helper', instructions: 'x'.repeat(limits.definition) } }),
      message: `runner has ${limits.definition + '{"id":"helper","instructions":""}'.length} bytes of JSON; the limit is ${limits.definition}`,
      code: 'PayloadTooLarge',
    },
    {
      name: 'a key of a number',
      input: run({ key: { appName: 'shop', userId: 7 } }),
      message: 'key.userId must be a text, not a number',
    },
    {
      name: 'no input',
      input: { runner: 'helper' },
      message: 'input must be a text or a list of parts, not undefined',
    },
    {
      name: 'a list of nothing',
      input: run({ input: [] }),
      message: 'input is empty',
    },
    {
      name: 'a part without its text',
      input: run({ input: [{ type: 'text' }] }),
      message: 'input[0].text must be a text, not undefined',
    },
    {
      name: 'a part of another kind',
      input: run({ input: [{ type: 'tool_call' }] }),
      message: 'input[0].type must be "text" or "media", not "tool_call"',
    },
    {
      name: 'a part that is none',
      input: run({ input: ['Go'] }),
      message: 'input[0] must be a text or media part, not a string',
    },
    {
      name: 'a member it does not know',
      input: run({ sesion: {} }),
      message: "'sesion' is not a member of a run's start; did you mean 'session'?",
    },
    {
      name: 'a member of a key it does not know',
      input: run({ key: { userID: 'ada' } }),
      message: "'userID' is not a member of key; did you mean 'userId'?",
    },
    { name: 'an input of blanks', input: run({ input: ' \n' }), message: 'input is empty' },
    {
      name: 'parts of blanks',
      input: run({ input: [{ type: 'text', text: ' ' }] }),
      message: 'input is empty',
    },
    {
      name: 'half of a character',
      input: run({ input: 'cut \ud83d' }),
      message: 'input is not JSON: the text has half of a surrogate pair',
    },
    {
      name: 'a number that JSON would change',
      input: run({ session: { a: [-0] } }),
      message: "session is not JSON at 'a[0]': -0 is not JSON",
    },
    {
      name: 'an input that is too long',
      input: run({ input: 'é'.repeat(limits.input / 2) }),
      message: `input has ${limits.input + 2} bytes of JSON; the limit is ${limits.input}`,
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
      message: `session has ${limits.session + 11} bytes of JSON; the limit is ${limits.session}`,
      code: 'SessionTooLarge',
    },
    {
      name: 'a session that is not JSON',
      input: run({ session: { at: new Date(0) } }),
      message: "session is not JSON at 'at': ",
    },
    {
      name: 'a context that is too long',
      input: run({ context: { text: 'x'.repeat(limits.context) } }),
      message: `context has ${limits.context + 11} bytes of JSON; the limit is ${limits.context}`,
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

  it.each([
    { input: run({ input: 'x'.repeat(limits.input) }), code: 'PayloadTooLarge' },
    { input: run({ session: { text: 'x'.repeat(limits.session) } }), code: 'SessionTooLarge' },
    { input: run({ input: '' }), code: 'InvalidInput' },
  ])('refuses by the code of its error: $code', ({ input, code }) => {
    expect(thrown(() => checkRunInput(input))).toMatchObject({ code });
  });

  it('refuses what refers to itself', () => {
    const context: { [key: string]: unknown } = { nested };
    context['self'] = context;
    expect(thrown(() => checkRunInput(run({ context })))).toMatchObject({ code: 'InvalidInput' });
  });
});

const parent = { workflowId: 'root' };
const memory = { workflowId: 'root', runId: 'e', length: 0, tail: [], digest: 'd' };
const inputFrom = { workflowId: 'root', runId: 'e', number: 1 };
const fromParent = {
  lineage,
  definition: { root: 'root', hash: '0a' },
  sessionFrom: 'root',
  origin: '["root","e"]',
  inputFrom,
  thread: { workflowId: 'root', turn: 1, memory },
};

describe('what only a run that calls another one says', () => {
  const members = Object.entries(fromParent).map(([name, value]) => ({ name, value }));

  it.each(members)('$name is taken from a parent, and from nobody else', ({ name, value }) => {
    expect(() => checkRunInput(run({ [name]: value }), parent)).not.toThrow();
    expect(thrown(() => checkRunInput(run({ [name]: value })))).toMatchObject({
      code: 'InvalidInput',
      message: `${name} is only for runs that start child runs: leave it out`,
    });
  });

  it.each(members)('$name left out as null is no matter', ({ name }) => {
    expect(() => checkRunInput(run({ [name]: null }))).not.toThrow();
  });

  it.each([
    { name: 'the empty text of the step before it', input: '' },
    { name: 'what a model cut in the middle of a character', input: 'cut \ud83d' },
  ])('takes $name', ({ input }) => {
    expect(() => checkRunInput(run({ input, lineage }), parent)).not.toThrow();
  });

  it.each<{ name: string; start: object; message: string }>([
    {
      name: "another run's session",
      start: { sessionFrom: 'other' },
      message: "sessionFrom names 'other', but 'root' started this run",
    },
    {
      name: "another run's input",
      start: { inputFrom: { ...inputFrom, workflowId: 'other' } },
      message: "inputFrom names 'other'",
    },
    {
      name: "another thread's memory",
      start: { thread: { ...fromParent.thread, memory: { ...memory, workflowId: 'other' } } },
      message: "thread names 'other'",
    },
    {
      name: 'a tree that is not its own',
      start: { lineage: { ...lineage, root: 'other' } },
      message: "lineage names 'other'",
    },
    {
      name: "another tree's definition and content",
      start: { definition: { root: 'other', hash: '0a' } },
      message: "definition names 'other', but the root run is 'root'",
    },
    { name: 'a tree that is none', start: { lineage: 7 }, message: 'lineage must be an object' },
    {
      name: 'a member it does not know',
      start: { lineage: { ...lineage, polcy: {} } },
      message: "lineage.polcy is not known; did you mean 'policy'?",
    },
    {
      name: 'a tree without its root',
      start: { lineage: { ...lineage, root: undefined } },
      message: 'lineage.root must be a string',
    },
  ])('is refused of $name', ({ start, message }) => {
    expect(thrown(() => checkRunInput(run(start), parent))).toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining(message) as string,
    });
  });
});

describe('withoutNulls', () => {
  it('leaves out what is null, and nothing else', () => {
    const input = run({ session: null, budget: null, context: { tenant: null }, key: undefined });
    expect(withoutNullMembers(input)).toStrictEqual(
      run({ context: { tenant: null }, key: undefined }),
    );
  });
});

describe('the trace of the caller', () => {
  it('is a W3C traceparent', () => {
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect(() => checkRunInput(run({ trace }))).not.toThrow();
  });

  it.each(['', 7, {}, 'abc', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`])('is not %j', (trace) => {
    expect(() => checkRunInput(run({ trace }))).toThrow('trace must be a W3C traceparent');
  });
});
