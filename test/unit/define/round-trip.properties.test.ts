// Pure: no server. Random runners, with a fixed seed.
import fc from 'fast-check';
import {
  graph,
  parallel,
  sequential,
  subAgent,
  type AgentOptions,
  type GraphTask,
  type Runner,
} from '../../../src';
import { parseRunnerSpec } from '../../../src/define/parse-spec';
import { createRegistry } from '../../../src/define/registry';
import { anAgent, aTool } from './builders';

const seed = 20_261_122;
const numRuns = 80;

type Ids = () => string;

/** A runner yet to be made: ids are given in order, each once. */
type Sketch = (nextId: Ids) => Runner;

const maybe = <Name extends string, Value>(name: Name, value: fc.Arbitrary<Value>) =>
  fc
    .option(value, { nil: undefined })
    .map((given) => (given === undefined ? {} : { [name]: given }));

const shared = fc
  .tuple(
    maybe('description', fc.string()),
    maybe('sessionPrecedence', fc.constantFrom('caller', 'store')),
    maybe('budget', fc.record({ maxTokens: fc.integer({ min: 1 }) })),
  )
  .map((parts) => Object.assign({}, ...parts) as object);

const context = fc.record(
  {
    window: fc.integer({ min: 1000 }),
    compactAt: fc.constantFrom(0.5, 1),
    keepTurns: fc.integer({ min: 1 }),
    clearResults: fc.oneof(
      fc.constant(false),
      fc.record(
        { olderThan: fc.nat(), over: fc.constantFrom(256, '4 KiB', '1 mib') },
        { requiredKeys: [] },
      ),
    ),
    model: fc.constantFrom('openai/gpt-5-mini', { provider: 'a', model: 'b/c' }),
  },
  { requiredKeys: [] },
);
const memory = fc.oneof(
  fc.constant({ kind: 'full' }),
  fc.record({ kind: fc.constant('windowed'), turns: fc.nat() }),
);

const tools = ['search', 'fetch'].map((name) => aTool(name));
const agentOptions = fc
  .tuple(
    shared,
    maybe('memory', memory),
    maybe('context', context),
    maybe('tools', fc.subarray(tools)),
  )
  .map((parts) => Object.assign({}, ...parts) as Partial<AgentOptions>);

const prompts = fc.array(
  fc.constantFrom(
    '${input}',
    '${name}',
    '${a-b}',
    '$${x}',
    '{"json": 1}',
    ' $ ',
    '${T.output}',
    '${T.structured.a.0}',
  ),
);

const { runner } = fc.letrec<{ runner: Sketch; leaf: Sketch; members: Sketch[] }>((tie) => ({
  leaf: agentOptions.map((options) => (nextId: Ids) => anAgent({ ...options, id: nextId() })),
  members: fc.array(tie('runner'), { minLength: 1, maxLength: 3 }),
  runner: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    tie('runner').map((callee) => (nextId: Ids) => {
      const id = nextId();
      return anAgent({
        id,
        tools: [
          subAgent(callee(nextId), {
            name: 'call',
            description: 'Calls',
            policy: { disallowedAgentIds: ['x'] },
          }),
        ],
      });
    }),
    fc
      .tuple(tie('members'), shared, maybe('passOutput', fc.constantFrom(true, false, 'combined')))
      .map(([steps, ...options]) => (nextId: Ids) => {
        const made = steps.map((step) => step(nextId));
        const again = made[0] ?? 'never';
        return sequential({
          id: nextId(),
          ...(Object.assign({}, ...options) as object),
          steps: [...made, again],
        });
      }),
    fc.tuple(tie('members'), shared, maybe('concurrency', fc.integer({ min: 1 }))).map(
      ([branches, ...options]) =>
        (nextId: Ids) =>
          parallel({
            id: nextId(),
            ...(Object.assign({}, ...options) as object),
            branches: branches.map((branch) => branch(nextId)),
          }),
    ),
    fc
      .tuple(tie('members'), shared, fc.array(prompts, { minLength: 3, maxLength: 3 }))
      .map(([members, options, texts]) => (nextId: Ids) => {
        const tasks = members.map((member, index): GraphTask => {
          const parts = (texts[index] ?? []).filter((part) => index > 0 || !part.includes('T.'));
          const prompt = parts.join('').replaceAll('T.', () => `t.${index - 1}.`);
          return {
            id: `t.${index}`,
            runner: member(nextId),
            ...(index > 0 && { dependencies: [`t.${index - 1}`] }),
            ...(prompt !== '' && { prompt }),
          };
        });
        return graph({ id: nextId(), ...options, tasks });
      }),
  ),
}));

function make(sketch: Sketch): Runner {
  let count = 0;
  return sketch(() => `r${(count += 1)}`);
}

describe(`runners, at random (seed ${seed})`, () => {
  it('are the same after a way through JSON', () => {
    const kinds = new Set<string>();
    const property = fc.property(runner, (sketch) => {
      const { kind, spec } = make(sketch);
      kinds.add(kind);
      expect(parseRunnerSpec(JSON.parse(JSON.stringify(spec)))).toStrictEqual(spec);
    });
    fc.assert(property, { seed, numRuns });
    expect([...kinds].sort()).toEqual(['agent', 'graph', 'parallel', 'sequential']);
  });

  it('have one definition, registered or from outside', () => {
    const property = fc.property(runner, (sketch) => {
      const made = make(sketch);
      const registered = createRegistry({ runners: [made] }).definition(made.id);
      expect(createRegistry({ tools }).definition(made.spec)).toStrictEqual(registered);
    });
    fc.assert(property, { seed, numRuns });
  });
});
