// Pure: no server.
import {
  abort,
  defineCallbacks,
  loggingCallbacks,
  overrideResponse,
  type Agent,
  type Callbacks,
  type CallbacksDefinition,
} from '../../../src';
import { createRegistry } from '../../../src/define/registry';
import { anAgent, refusalOf } from './builders';

const nothing = () => undefined;

function someCallbacks(name: string, options: Partial<CallbacksDefinition> = {}): Callbacks {
  return defineCallbacks({ name, beforeModelCall: nothing, ...options });
}

describe('defineCallbacks', () => {
  it('keeps the hooks apart from the data, and both from changes', () => {
    const session = ['seen'];
    const callbacks = defineCallbacks({ name: 'audit', session, afterToolCall: nothing });
    session.push('more');
    expect(callbacks).toEqual({
      kind: 'callbacks',
      name: 'audit',
      spec: { name: 'audit', session: ['seen'], toolHooks: ['afterToolCall'] },
      hooks: { afterToolCall: nothing },
    });
    expect([callbacks, callbacks.spec, callbacks.hooks].every(Object.isFrozen)).toBe(true);
  });

  it.each<[string, unknown, string]>([
    [
      'no options',
      undefined,
      'SpecError: Callbacks: must be a plain object of options, not undefined',
    ],
    ['no name', { beforeModelCall: nothing }, 'Callbacks: name is required'],
    ['a name with spaces', { name: 'a b', beforeModelCall: nothing }, 'name must be 1 to 100'],
    ['no hook', { name: 'a' }, "Callbacks 'a': must have at least one of beforeModelCall, "],
    [
      'a misspelt hook',
      { name: 'a', beforeModelcall: nothing },
      "SpecError: Callbacks 'a': beforeModelcall is not known; did you mean 'beforeModelCall' or 'beforeToolCall' or 'afterModelCall'?",
    ],
    [
      'a hook that is no function',
      { name: 'a', afterToolCall: 'log' },
      "afterToolCall must be a function, not 'log'",
    ],
    [
      'a reserved session key',
      { name: 'a', session: ['__own'], afterToolCall: nothing },
      "session[0] must not be '__own': that key is reserved",
    ],
    [
      'session keys that are no list',
      { name: 'a', session: 'key', afterToolCall: nothing },
      "session must be an array of session keys, not 'key'",
    ],
  ])('refuses %s', (_name, definition, message) => {
    const refusal = refusalOf(() => defineCallbacks(definition as CallbacksDefinition));
    expect(refusal).toMatch(/^SpecError: /);
    expect(refusal).toContain(message);
  });
});

describe('abort and overrideResponse', () => {
  it('make the answers of a hook', () => {
    expect(abort('over budget')).toEqual({ kind: 'abort', reason: 'over budget' });
    expect(overrideResponse('Hello.')).toEqual({ kind: 'override', text: 'Hello.' });
  });

  it.each([undefined, 5, {}])('refuse %p as a text', (value) => {
    expect(() => abort(value as never)).toThrow(TypeError);
    expect(() => overrideResponse(value as never)).toThrow(TypeError);
  });
});

describe('callbacks of an agent', () => {
  const audit = someCallbacks('audit', { session: ['seen'] });
  const guard = someCallbacks('guard');

  it('stand in its spec by name, in order', () => {
    const agent = anAgent({ callbacks: [guard, audit] });
    expect(agent.spec.callbacks).toEqual(['guard', 'audit']);
    expect(agent.callbacks).toEqual([guard, audit]);
    expect(anAgent().spec).not.toHaveProperty('callbacks');
  });

  it.each<[string, unknown, string]>([
    ['what is no list', audit, 'callbacks must be an array, not an object'],
    [
      'what defineCallbacks did not make',
      [{ beforeModelCall: nothing }],
      'callbacks[0] must be what defineCallbacks returns, not an object',
    ],
    [
      'two of one name',
      [audit, guard, someCallbacks('audit')],
      "callbacks[2] has the name 'audit', which callbacks[0] already has",
    ],
  ])('refuse %s', (_name, callbacks, message) => {
    expect(refusalOf(() => anAgent({ callbacks: callbacks as Callbacks[] }))).toBe(
      `SpecError: Agent 'weather': ${message}`,
    );
  });

  it('are pinned with the session keys they declare, without code', () => {
    const registry = createRegistry({ runners: [anAgent({ callbacks: [guard, audit] })] });
    expect(registry.definition('weather').callbacks).toEqual({
      guard: { name: 'guard' },
      audit: { name: 'audit', session: ['seen'] },
    });
  });

  it('leave the definition of an agent without any as it was', () => {
    const registry = createRegistry({ runners: [anAgent()], callbacks: [audit] });
    expect(registry.definition('weather')).not.toHaveProperty('callbacks');
  });
});

describe('callbacks in the registry', () => {
  const audit = someCallbacks('audit');

  it('come from agents and the worker, after those built in', () => {
    const own = someCallbacks('own');
    const registry = createRegistry({
      runners: [anAgent({ callbacks: [audit, loggingCallbacks] })],
      callbacks: [own, audit],
    });
    expect(registry.callbacks.names()).toEqual(['logging', 'audit', 'own']);
    expect(registry.callbacks.get('own')).toBe(own);
    expect(registry.callbacks.get('constructor')).toBeUndefined();
  });

  it.each<[string, { runners?: Agent[]; callbacks?: unknown[] }, string]>([
    [
      'two of one name',
      { callbacks: [audit, someCallbacks('audit')] },
      "callbacks[1] has another set of callbacks 'audit' than callbacks[0]: rename one",
    ],
    [
      'one of an agent and one of the worker',
      { runners: [anAgent({ callbacks: [audit] })], callbacks: [someCallbacks('audit')] },
      "callbacks[0] has another set of callbacks 'audit' than agent 'weather' (callbacks[0]): rename one",
    ],
    [
      'the name of those built in',
      { callbacks: [someCallbacks('logging')] },
      "callbacks[0] has another set of callbacks 'logging' than the built-in one: rename one",
    ],
    [
      'what defineCallbacks did not make',
      { callbacks: [{}] },
      'callbacks[0] must come from defineCallbacks, not be an object',
    ],
  ])('refuse %s', (_name, options, message) => {
    expect(refusalOf(() => createRegistry(options as { callbacks: Callbacks[] }))).toBe(
      `SpecError: The registry: ${message}`,
    );
  });

  it('name what an agent from outside lacks here', () => {
    const registry = createRegistry({ callbacks: [audit] });
    const spec = { ...anAgent().spec, callbacks: ['audti'] };
    expect(refusalOf(() => registry.definition(spec))).toBe(
      "SpecError: Agent 'weather' uses the set of callbacks 'audti', which is not registered here; did you mean 'audit'? Registered callbacks: audit, logging.",
    );
  });
});
