// Pure: no server.
import { criteria, type Agent, type Tool } from '../../../src';
import { createRegistry } from '../../../src/define/registry';
import type { AgentSpec } from '../../../src/protocol/spec';
import { anAgent, aTool, refusalOf } from './builders';

const search = aTool('search');
const fetch = aTool('fetch');
const minimal = anAgent().spec;

describe('createRegistry', () => {
  it('knows runners, their tools, and tools of its own', () => {
    const weather = anAgent({ tools: [search] });
    const registry = createRegistry({ runners: [weather], tools: [fetch] });
    expect(registry.runners.names()).toEqual(['weather']);
    expect(registry.tools.names()).toEqual(['search', 'fetch']);
    expect(registry.runners.get('weather')).toBe(weather);
    expect(registry.runners.get('other')).toBeUndefined();
    expect(registry.tools.get('search')).toBe(search);
    expect(registry.tools.get('constructor')).toBeUndefined();
  });

  it('knows custom criteria by name', () => {
    const own = () => true;
    const other = () => false;
    const weather = anAgent({ criteria: [criteria.custom('own', own)] });
    const registry = createRegistry({
      runners: [weather],
      criteria: [criteria.custom('other', other)],
    });
    expect(registry.criteria.names()).toEqual(['own', 'other']);
    expect(registry.criteria.get('own')).toBe(own);
    expect(registry.criteria.get('other')).toBe(other);
  });

  it('may be empty', () => {
    const registry = createRegistry();
    expect([registry.runners.names(), registry.tools.names()]).toEqual([[], []]);
  });

  it('takes the same runner, tool and criterion many times', () => {
    const shared = criteria.custom('c', () => true);
    const first = anAgent({ id: 'a', tools: [search], criteria: [shared] });
    const second = anAgent({ id: 'b', tools: [search], criteria: [shared] });
    const registry = createRegistry({
      runners: [first, second, first],
      tools: [search],
      criteria: [shared],
    });
    expect(registry.runners.names()).toEqual(['a', 'b']);
    expect(registry.tools.names()).toEqual(['search']);
  });

  it('replaces a tool by a later one that says so', () => {
    const stub = aTool('search', { override: true });
    const runners = [anAgent({ tools: [search] }), anAgent({ id: 'b', tools: [search] })];
    expect(createRegistry({ runners, tools: [stub, search] }).tools.get('search')).toBe(stub);
  });

  it.each<[string, { runners?: unknown[]; tools?: unknown[]; criteria?: unknown[] }, string]>([
    [
      'two runners of one id',
      { runners: [anAgent(), anAgent()] },
      "runners[1] has another runner 'weather' than runners[0]: rename one",
    ],
    [
      'a runner that is none',
      { runners: [{ id: 'weather' }] },
      'runners[0] must come from defineAgent, sequential, parallel or graph, not be an object',
    ],
    [
      'no runner',
      { runners: [undefined] },
      'runners[0] must come from defineAgent, sequential, parallel or graph, not be undefined',
    ],
    [
      'a tool that is none',
      { tools: [{ name: 'x' }] },
      'tools[0] must come from defineTool, not be an object',
    ],
    [
      'another tool of one name',
      { runners: [anAgent({ tools: [fetch, search] })], tools: [aTool('search')] },
      "tools[0] has another tool 'search' than agent 'weather' (tools[1]): rename one, or set override: true on the one that shall replace the other",
    ],
    [
      'other tools of one name in two agents',
      {
        runners: [
          anAgent({ id: 'a', tools: [search] }),
          anAgent({ id: 'b', tools: [aTool('search')] }),
        ],
      },
      "agent 'b' (tools[0]) has another tool 'search' than agent 'a' (tools[0]): rename one, or set override: true on the one that shall replace the other",
    ],
    [
      'an override that comes first',
      { tools: [aTool('search', { override: true }), search] },
      "tools[1] has another tool 'search' than tools[0]: rename one, or set override: true on the one that shall replace the other",
    ],
    [
      'another criterion of one name',
      {
        runners: [anAgent({ criteria: [criteria.custom('c', () => true)] })],
        criteria: [criteria.custom('c', () => true)],
      },
      "criteria[0] has another criterion 'c' than agent 'weather': rename one",
    ],
  ])('refuses %s', (_name, options, message) => {
    expect(refusalOf(() => createRegistry(options as { runners: Agent[]; tools: Tool[] }))).toBe(
      `SpecError: The registry: ${message}`,
    );
  });
});

describe('definition', () => {
  const weather = anAgent({ tools: [search, fetch] });
  const registry = createRegistry({ runners: [weather, anAgent({ id: 'writer' })] });

  it('closes over the tools of a registered runner', () => {
    expect(registry.definition('weather')).toEqual({
      format: 1,
      runner: 'weather',
      runners: { weather: weather.spec },
      tools: { search: search.spec, fetch: fetch.spec },
    });
  });

  it('pins the window of a model for an agent with a context, unless the agent has its own', () => {
    const context = { keepTurns: 2 };
    const runners = [
      anAgent({ id: 'plain' }),
      anAgent({ id: 'known', context }),
      anAgent({ id: 'own', context: { window: 5_000 } }),
      anAgent({ id: 'unknown', model: 'acme/other', context }),
    ];
    const registry = createRegistry({
      runners,
      windowOf: ({ provider }) => (provider === 'acme' ? undefined : 64_000),
    });
    const pinned = runners.map(({ id }) => registry.definition(id).runners[id]);
    expect(pinned.map((spec) => (spec as AgentSpec).context)).toEqual([
      undefined,
      { keepTurns: 2, window: 64_000 },
      { window: 5_000 },
      context,
    ]);
    expect(createRegistry({ runners }).definition('known').runners.known).toMatchObject({
      context,
    });
  });

  it('closes over the tools of a spec from outside', () => {
    const spec = { ...minimal, id: 'visitor', tools: ['fetch'] };
    expect(registry.definition(spec)).toEqual({
      format: 1,
      runner: 'visitor',
      runners: { visitor: spec },
      tools: { fetch: fetch.spec },
    });
  });

  it('is frozen and plain JSON', () => {
    const definition = registry.definition('weather');
    expect(JSON.parse(JSON.stringify(definition))).toStrictEqual(definition);
    expect(() => Object.assign(definition.tools, { x: 1 })).toThrow(TypeError);
  });

  it('holds the tool that replaced another', () => {
    const stub = aTool('search', { override: true });
    const replaced = createRegistry({ runners: [weather], tools: [stub] });
    expect(replaced.definition('weather').tools.search).toBe(stub.spec);
  });

  it.each([
    [
      'a near id',
      'wether',
      "Runner 'wether' is not registered here; did you mean 'weather'? Registered runners: weather, writer.",
    ],
    [
      'another id',
      'billing',
      "Runner 'billing' is not registered here. Registered runners: weather, writer.",
    ],
    [
      'an inherited name',
      '__proto__',
      "Runner '__proto__' is not registered here. Registered runners: weather, writer.",
    ],
  ])('does not find %s', (_name, id, message) => {
    expect(refusalOf(() => registry.definition(id))).toBe(`AgentNotFound: ${message}`);
  });

  it.each([
    [
      'a tool of a near name',
      { ...minimal, tools: ['serch'] },
      "Agent 'weather' uses the tool 'serch', which is not registered here; did you mean 'search'? Registered tools: fetch, search.",
    ],
    [
      'another tool',
      { ...minimal, tools: ['send_mail'] },
      "Agent 'weather' uses the tool 'send_mail', which is not registered here. Registered tools: fetch, search.",
    ],
    [
      'a criterion',
      { ...minimal, criteria: [{ kind: 'custom', name: 'short' }] },
      "Agent 'weather' uses the criterion 'short', which is not registered here. No criteria are registered.",
    ],
    [
      'an agent in the spec',
      { ...minimal, maxTurns: 0 },
      "Agent 'weather': maxTurns must be a whole number of at least 1, not 0",
    ],
    [
      'room for the spec',
      { ...minimal, instructions: 'é'.repeat(300_000) },
      "Agent 'weather' is 587 KiB with its tools; a definition may have 512 KiB: shorten its instructions or the schemas of its tools.",
    ],
  ])('does not find %s', (_name, spec, message) => {
    expect(refusalOf(() => registry.definition(spec as never))).toBe(`SpecError: ${message}`);
  });

  it('refuses an agent that is too large when the registry is made', () => {
    const large = anAgent({ instructions: 'x'.repeat(600_000) });
    expect(refusalOf(() => createRegistry({ runners: [large] }))).toBe(
      "SpecError: Agent 'weather' is 587 KiB with its tools; a definition may have 512 KiB: shorten its instructions or the schemas of its tools.",
    );
  });

  it('says so when nothing is registered', () => {
    expect(refusalOf(() => createRegistry().definition('weather'))).toBe(
      "AgentNotFound: Runner 'weather' is not registered here. No runners are registered.",
    );
  });
});
