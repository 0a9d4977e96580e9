// Pure: no server.
import fc from 'fast-check';
import {
  criteria,
  defineAgent,
  defineCallbacks,
  defineTool,
  graph,
  loadSpec,
  mcpTools,
  parallel,
  sequential,
  subAgent,
  toSpecText,
  type Runner,
} from '../../../../src';
import { anAgent, aTool, citySchema, refusalOf } from '../../define/builders';

const lookup = aTool('lookup');
const refund = defineTool({
  name: 'refund',
  description: 'Pays money back',
  inputSchema: citySchema,
  execute: () => null,
  needsApproval: { by: { roles: ['finance', '${x}'] }, remind: ['90 minutes'], remember: 'run' },
});
const audit = defineCallbacks({ name: 'audit', afterModelCall: () => undefined });
const long = criteria.custom('long', () => true, { session: ['cart'] });
const files = mcpTools({ name: 'files', url: 'http://127.0.0.1:9/mcp' });
const code = { tools: [lookup, refund], callbacks: [audit], criteria: [long], mcpServers: [files] };

const full = defineAgent({
  id: 'full',
  description: 'Has everything',
  model: { provider: 'openai', model: 'vendor/gpt-5:mini' },
  instructions: 'Line one\n\n  indented: "quoted" # no comment\n',
  tools: [
    lookup,
    refund,
    subAgent(anAgent({ id: 'inner' }), {
      name: 'ask_inner',
      description: 'Asks',
      policy: { disallowSubAgentCalls: true, disallowedAgentIds: ['x'] },
      onError: 'fail',
    }),
    files,
  ],
  toolConcurrency: 2,
  inlineReads: true,
  inlineTimeout: 2500,
  maxIterations: 0,
  maxTurns: 3,
  criteria: [criteria.keyword('yes'), criteria.structuredOutput(citySchema), long],
  callbacks: [audit],
  toolChoice: { only: ['lookup', 'ask_inner'] },
  output: {
    schema: { type: 'object', properties: { a: { const: null }, type: { type: 'string' } } },
  },
  settings: {
    temperature: 0.5,
    stop: ['END'],
    reasoning: { effort: 'low' },
    extra: { some_key: [null, 1e21] },
  },
  askUser: 'tool',
  inputTimeout: '90 minutes',
  onInputTimeout: { answer: 'no' },
  onInvalidToolCall: 'ignore',
  maxInvalidToolCalls: 0,
  sessionPrecedence: 'store',
  budget: { maxTokens: 10, maxCostUsd: 0.25, onExceeded: 'fail' },
  memory: {
    kind: 'windowed',
    turns: 0,
    store: 'main',
  },
  context: { window: 8000, clearResults: { over: '1 MiB' }, model: 'openai/x' },
});
const shared = anAgent({ id: 'shared', inputTimeout: 1234, askUser: false });
const group = parallel({
  id: 'group',
  merge: 'first',
  cancelRest: true,
  concurrency: 2,
  branches: [shared, full],
});
const tasks = graph({
  id: 'tasks',
  tasks: [
    { id: 'a', runner: group, maxRetries: 2 },
    { id: 'b', runner: shared, dependencies: ['a'], prompt: '${a.output} for ${name}, $${not}' },
  ],
});
const all = sequential({
  id: 'all',
  description: 'All',
  passOutput: 'combined',
  budget: { maxTokens: 5 },
  sessionPrecedence: 'caller',
  steps: [group, tasks, shared, shared],
});

function reloaded(runners: readonly Runner[]) {
  const { get } = loadSpec({ text: toSpecText(runners) }, code);
  return runners.map(({ id }) => get(id)?.spec);
}

describe('toSpecText', () => {
  it.each<[string, readonly Runner[]]>([
    ['an agent with all it may have', [full]],
    ['a tree of runners by its root alone', [all]],
    ['runners that name each other', [all, full, shared, group, tasks]],
    ['the same in another order', [shared, tasks, all]],
  ])('writes %s so that it loads as it was', (_, runners) => {
    expect(reloaded(runners)).toEqual(runners.map(({ spec }) => spec));
  });

  it('reads as people write it', () => {
    const writer = anAgent({
      id: 'writer',
      instructions: 'Write.\nBe brief.\n',
      inlineTimeout: 5000,
      inputTimeout: '3 days',
    });
    const steps = [writer, anAgent({ id: 'editor', tools: [refund] })];
    expect(toSpecText([sequential({ id: 'story', steps }), writer])).toBe(
      [
        'agents:',
        '  - id: writer',
        '    model: openai/gpt-5-mini',
        '    instructions: |',
        '      Write.',
        '      Be brief.',
        '    inlineTimeout: 5 seconds',
        '    inputTimeout: 3 days',
        'workflows:',
        '  - kind: sequential',
        '    id: story',
        '    steps:',
        '      - ref: writer',
        '      - id: editor',
        '        model: openai/gpt-5-mini',
        '        tools:',
        '          - name: refund',
        '            needsApproval:',
        '              by:',
        '                roles:',
        '                  - finance',
        '                  - ${x}',
        '              remind:',
        '                - 90 minutes',
        '              remember: run',
        '',
      ].join('\n'),
    );
  });

  it('refuses two runners of one id', () => {
    const twice = [anAgent({ id: 'a' }), anAgent({ id: 'a', maxTurns: 1 })];
    expect(refusalOf(() => toSpecText(twice))).toBe(
      "SpecError: A runner: has the id 'a', which another one of them has, too",
    );
  });

  it.each([' \n', '\n', '  \n\n', '\t\n'])('keeps the blank text %j', (instructions) => {
    const agent = anAgent({ id: 'a', instructions });
    expect(reloaded([agent])).toEqual([agent.spec]);
  });

  it('keeps any text and any JSON as it is', () => {
    const pieces = fc.constantFrom(
      '${env:HOME}',
      '$${env:A:-b}',
      '$',
      '{env:',
      '\n',
      '\r\n',
      '\t',
      ' ',
      '---',
      '#',
      ': ',
      "'",
      '"',
      '\\',
      '\u2028',
      '\u0085',
      '\uFEFF',
      '|',
      '&a',
      '*a',
      '!!x',
      'é',
      '😀',
      '~',
      'null',
      '1e3',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
    );
    // No spec has the key __proto__, at any depth.
    const json = fc
      .jsonValue({ stringUnit: 'binary' })
      .filter((value) => !JSON.stringify(value).includes('"__proto__"'));
    fc.assert(
      fc.property(
        text.filter((value) => value !== ''),
        fc.dictionary(fc.string(), json),
        (instructions, found) => {
          const { ['__proto__']: _, ...extra } = found;
          const agent = anAgent({
            id: 'a',
            instructions,
            settings: { extra: JSON.parse(JSON.stringify(extra)) },
          });
          expect(reloaded([agent])).toEqual([agent.spec]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('keeps a key that looks like a merge key, at any depth', () => {
    const agent = anAgent({ id: 'a', settings: { extra: { '<<': { '<<': '<<' } } } });
    expect(reloaded([agent])).toEqual([agent.spec]);
  });

  it.each(['${env:${env:HOME}', '$${env:A}', '$$${env:A} ${env:B', '${env:x}y}'])(
    'keeps %s as the text it is',
    (instructions) => {
      const agent = defineAgent({ id: 'a', model: 'x/y', instructions });
      expect(loadSpec({ text: toSpecText([agent]) }).get('a')?.spec).toEqual(agent.spec);
    },
  );
});
