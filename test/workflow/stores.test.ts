// Sessions that outlive a run: read when it starts, saved when it completes, late when the store is down.

import { defineAgent, defineTool } from '../../src';
import type { JsonObject } from '../../src/base/json';
import { LonghaulError } from '../../src/protocol/errors';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { SqliteStores, type SessionStore } from '../../src/stores';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

const count = defineTool({
  name: 'count',
  description: 'Counts',
  inputSchema: { type: 'object', properties: {} },
  session: ['count', 'greeting'],
  execute: (_args, { session }) => {
    session['count'] = ((session['count'] as number | undefined) ?? 0) + 1;
    return session;
  },
});
const agent = defineAgent({ id: 'counter', model: 'scripted/one', tools: [count] });
const script: readonly ScriptedStep[] = [{ toolCalls: [{ name: 'count', args: {} }] }, 'Counted.'];
const key = { appName: 'app', userId: 'ada', sessionId: 'one' };

describe('stores', () => {
  let harness: Harness;
  let stores: SqliteStores;
  beforeEach(async () => {
    harness = await openHarness();
    stores = SqliteStores.inMemory();
  });
  afterEach(async () => {
    await harness.close();
    await stores.close();
  });

  function providers() {
    return { scripted: scriptedModel(script, { per: 'conversation' }) };
  }

  it('give a run the state of its application, user and session, and keep what it changed', async () => {
    await stores.app.save({ appName: 'app' }, { greeting: 'from the app', count: 40 });
    await stores.user.save({ appName: 'app', userId: 'ada' }, { count: 41 });
    await harness.worker({ runners: [agent], providers: providers(), stores });
    const first = await harness.longhaul.start('counter', 'First.', { key });
    expect((await first.result()).session).toEqual({ greeting: 'from the app', count: 42 });
    const second = await harness.longhaul.start('counter', 'Second.', { key });
    expect((await second.result()).session).toEqual({ greeting: 'from the app', count: 43 });
    const given = await harness.longhaul.start('counter', 'Third.', { key, session: { count: 0 } });
    expect((await given.result()).session).toMatchObject({ count: 1 });
    const other = await harness.longhaul.start('counter', 'Fourth.', {
      key: { ...key, sessionId: 'two' },
    });
    expect((await other.result()).session).toMatchObject({ count: 42 });
  });

  it('cost nothing when a run has no key', async () => {
    await harness.worker({ runners: [agent], providers: providers(), stores });
    const run = await harness.longhaul.start('counter', 'Without a key.');
    expect((await run.result()).session).toEqual({ count: 1 });
    expect(await stores.session.exists(key)).toBe(false);
  });

  it('keep what a run said when a cancellation met its last answer', async () => {
    let release: (text: string) => void = () => undefined;
    const held = new Promise<string>((resolve) => (release = resolve));
    const scripted = scriptedModel([...script.slice(0, 1), () => held]);
    const options = { runners: [agent], providers: { scripted }, stores };
    const first = await harness.worker(options);
    const run = await harness.longhaul.start('counter', 'Count.', { key });
    await eventually('the model is asked', () => scripted.requests.length === 2);
    // A worker that ends takes no workflow task any more, and gives its calls a moment. So the next one gets both at once.
    const stopped = first.stop();
    await harness.longhaul.client.workflow.getHandle(run.workflowId).cancel();
    release('Counted.');
    await stopped;
    await harness.worker(options);
    expect(await run.outcome()).toMatchObject({ kind: 'complete' });
    expect(await run.result()).toMatchObject({ session: { count: 1 } });
    expect(await stores.session.load(key)).toEqual({ count: 1 });
  });

  it('keep what is newer when a run that started earlier saves later, which says so', async () => {
    let release: (text: string) => void = () => undefined;
    const held = new Promise<string>((resolve) => (release = resolve));
    const scripted = scriptedModel([() => held, ...script, ...script]);
    await harness.worker({ runners: [agent], providers: { scripted }, stores });
    const early = await harness.longhaul.start('counter', 'Early.', { key });
    await eventually('the early run has read its session', () => scripted.requests.length === 1);
    const late = await harness.longhaul.start('counter', 'Late.', { key });
    expect(await late.result()).not.toHaveProperty('warnings');
    release('Done.');
    expect((await early.result()).warnings).toEqual([
      'the session was not saved: somebody else saved or deleted the session after this run started',
    ]);
    expect(await stores.session.load(key)).toEqual({ count: 1 });
    const next = await harness.longhaul.start('counter', 'Next.', { key });
    expect(await next.result()).not.toHaveProperty('warnings');
    expect(await stores.session.load(key)).toEqual({ count: 2 });
  });

  it('that are down do not hold up the answer, and are written once they are back', async () => {
    let failures = 2;
    const saved: JsonObject[] = [];
    const session: SessionStore = {
      load: () => Promise.resolve(undefined),
      exists: () => Promise.resolve(false),
      version: () => Promise.resolve(''),
      delete: () => Promise.resolve(),
      save: (_key, value) => {
        failures -= 1;
        if (failures >= 0)
          return Promise.reject(new LonghaulError('StoreError', 'down', { retryable: true }));
        saved.push(value);
        return Promise.resolve(true);
      },
    };
    await harness.worker({ runners: [agent], providers: providers(), stores: { session } });
    const run = await harness.longhaul.start('counter', 'Down.', { key });
    expect(await run.outcome()).toMatchObject({ kind: 'complete' });
    expect(saved).toEqual([]);
    expect(await run.result()).not.toHaveProperty('warnings');
    expect(saved).toEqual([{ count: 1 }]);
  });
});
