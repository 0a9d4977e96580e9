// Callbacks, sessions and called agents: what each may see, change and call.

import { defineCallbacks, overrideResponse, subAgent } from '../../src';
import type { JsonObject } from '../../src/base/json';
import { SqliteStores } from '../../src/stores';
import { aTool, callOf, TestAgents, resultOf } from './builders';
import { linesOf } from './conversation';
import { openHarness, type Harness } from './harness';

const agents = new TestAgents();
const key = { appName: 'shop', userId: 'ada', sessionId: 'one' };

describe('callbacks, sessions and called agents', () => {
  let harness: Harness;
  const stores = SqliteStores.inMemory();
  beforeAll(async () => {
    harness = await openHarness();
    const { runners, providers } = agents;
    await harness.worker({ runners, providers, stores });
  });
  afterAll(async () => {
    await harness.close();
    await stores.close();
  });

  const called: string[] = [];
  const override = defineCallbacks({
    name: 'override',
    afterModelCall: () => {
      called.push('first');
      return overrideResponse('Instead.');
    },
  });
  const later = defineCallbacks({
    name: 'later',
    beforeModelCall: () => void called.push('later, before'),
    afterModelCall: () => void called.push('later, after'),
  });
  agents.agent('overridden', ['Original.'], { callbacks: [override, later] });
  it('an override replaces the text, in the result and in the conversation', async () => {
    const run = await harness.longhaul.start('overridden', 'Go.');
    const completionReason = 'callback override';
    expect(await run.result()).toEqual(resultOf('Instead.', { completionReason }));
    expect(linesOf(await run.transcript())).toEqual(['Go.', 'Instead.']);
  });
  it('the first callback that answers ends the chain: later ones are not called', () => {
    expect(called).toEqual(['later, before', 'first']);
  });

  const leaf = agents.agent('leaf', []);
  const branch = agents.agent('branch', [callOf('leaf', { input: 'Three.' })], {
    tools: [subAgent(leaf.agent, { name: 'leaf', description: 'Leaf' })],
  });
  const trunk = agents.agent('trunk', [callOf('branch', { input: 'Two.' })], {
    tools: [subAgent(branch.agent, { name: 'branch', description: 'Branch' })],
  });
  const policy = { disallowedAgentIds: ['leaf'] };
  agents.agent('root', [callOf('trunk', { input: 'One.' })], {
    tools: [subAgent(trunk.agent, { name: 'trunk', description: 'Trunk', policy })],
  });
  const disallowed = {
    code: 'DisallowedAgentCall',
    message:
      "'branch' must not call 'leaf': a caller above forbids it. Change its policy, or the tools of 'branch'",
    details: { id: 'leaf' },
  };
  it('what ends a run three agents deep is still what the caller catches', async () => {
    const run = await harness.longhaul.start('root', 'Go.');
    await expect(run.result()).rejects.toMatchObject(disallowed);
  });

  const quiet = agents.agent('quiet', [callOf('leaf', { input: 'Any.' })], {
    tools: [subAgent(leaf.agent, { name: 'leaf', description: 'Leaf' })],
  });
  agents.agent('silencer', [callOf('quiet', { input: 'Go.' })], {
    tools: [
      subAgent(quiet.agent, {
        name: 'quiet',
        description: 'Quiet',
        policy: { disallowSubAgentCalls: true },
      }),
    ],
  });
  it('a policy binds the calls of the called agent, both kinds of it', async () => {
    const run = await harness.longhaul.start('silencer', 'Go.');
    await expect(run.result()).rejects.toMatchObject({
      ...disallowed,
      message:
        "'quiet' must not call 'leaf': a caller above forbids it. Change its policy, or the tools of 'quiet'",
    });
    expect(leaf.model.requests).toEqual([]);
  });

  agents.agent('plain', ['Fine.']);
  it('the guard counts the root agent, and leaves nothing in stored sessions', async () => {
    const circle = {
      kind: 'agent',
      id: 'branch',
      model: { provider: 'branch', model: 'one' },
      subAgents: [{ name: 'up', description: 'Up', runner: 'trunk' }],
    } as const;
    const run = await harness.longhaul.startSpec(circle, 'Go.');
    await expect(run.result()).rejects.toMatchObject({
      code: 'CircularAgentCall',
      message: 'Runners call each other in a circle: branch → trunk → branch.',
      details: { id: 'branch' },
    });
    const poisoned = { ...key, sessionId: 'poisoned' };
    await stores.session.save(poisoned, { __ancestor_ids: ['plain'], note: 1 });
    const next = await harness.longhaul.start('plain', 'Go.', { key: poisoned });
    expect(await next.result()).toEqual(resultOf('Fine.', { session: { note: 1 } }));
    expect(await stores.session.load(poisoned)).toEqual({ note: 1 });
  });

  const note = aTool(
    'note',
    (_args, { session }) => {
      session['notes'] = [...((session['notes'] as string[] | undefined) ?? []), 'noted'];
      return session;
    },
    { session: ['notes', 'lang'] },
  );
  for (const sessionPrecedence of ['caller', 'store'] as const) {
    agents.agent(sessionPrecedence, [callOf('note'), 'Noted.'], {
      tools: [note],
      sessionPrecedence,
    });
  }
  it.each([
    { precedence: 'caller', lang: 'en' },
    { precedence: 'store', lang: 'de' },
  ])('of two values the $precedence’s stays, as the agent says', async ({ precedence, lang }) => {
    const own = { ...key, sessionId: precedence };
    await stores.app.save(own, { lang: 'fr', shop: 'teas' });
    await stores.user.save(own, { plan: 'gold' });
    await stores.session.save(own, { lang: 'de' });
    const session = { lang: 'en' };
    const run = await harness.longhaul.start(precedence, 'Go.', { key: own, session });
    const after = { lang, shop: 'teas', plan: 'gold', notes: ['noted'] };
    expect(await run.result()).toEqual(
      resultOf('Noted.', { iterations: 1, calls: 2, session: after }),
    );
    expect(await stores.session.load(own)).toEqual(after);
    expect(await stores.user.load(own)).toEqual({ plan: 'gold' });
    expect(await stores.app.load(own)).toEqual({ lang: 'fr', shop: 'teas' });
  });

  const seen: unknown[] = [];
  const look = aTool(
    'look',
    (_args, { signal: _signal, heartbeat: _heartbeat, log: _log, session, ...context }) => {
      seen.push({ ...context, session: { ...session } });
      session['seen'] = true;
    },
    { session: ['lang', 'seen'] },
  );
  const watch = defineCallbacks({
    name: 'watch',
    session: ['lang', 'seen'],
    afterToolCall: ({ session }) => {
      seen.push(session);
    },
  });
  agents.agent('looker', [callOf('look'), 'Seen.'], { tools: [look], callbacks: [watch] });
  it('tools and callbacks see the keys of the session they declare, and whose run it is', async () => {
    const session = { lang: 'en', secret: 's' };
    const context = { tenant: 't1' };
    const run = await harness.longhaul.start('looker', 'Go.', { session, context });
    const after = { ...session, seen: true };
    expect(await run.result()).toEqual(
      resultOf('Seen.', { iterations: 1, calls: 2, session: after }),
    );
    expect(seen).toEqual([
      {
        workflowId: run.workflowId,
        agentId: 'looker',
        path: 'looker',
        callId: 'call_1_0',
        idempotencyKey: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        context,
        session: { lang: 'en' },
      },
      { lang: 'en', seen: true },
    ]);
  });

  const ran: JsonObject[] = [];
  const remote = aTool('remote', (args) => void ran.push(args));
  const gate = defineCallbacks({
    name: 'gate',
    session: ['asked'],
    beforeToolCall: async ({ call, session }) => {
      await fetch('http://127.0.0.1:1').catch(() => undefined);
      session['asked'] = call.args;
      return overrideResponse('from the cache');
    },
  });
  const cached = agents.agent('cached', [callOf('remote', { id: '7' }), 'Cached.'], {
    tools: [remote],
    callbacks: [gate],
  });
  const spare = defineCallbacks({
    name: 'spare',
    beforeModelCall: () => overrideResponse('Spared.'),
  });
  const spared = agents.agent('spared', [], { callbacks: [spare] });
  it('hooks may wait, see the session, and stand in for a tool or the model', async () => {
    const run = await harness.longhaul.start('cached', 'Go.');
    const session = { asked: { id: '7' } };
    expect(await run.result()).toEqual(resultOf('Cached.', { iterations: 1, calls: 2, session }));
    expect(linesOf(cached.model.requests[1]?.messages ?? [])).toEqual([
      'Go.',
      '→ remote {"id":"7"}',
      '← remote from the cache',
    ]);
    const other = await harness.longhaul.start('spared', 'Go.');
    expect((await other.result()).finalResponse.text).toBe('Spared.');
    expect([ran, spared.model.requests]).toEqual([[], []]);
  });
});
