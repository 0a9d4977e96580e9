// Runs an agent's callbacks around one call, in the order the agent lists them, until one answers. Each callback sees the session
// changes of the callbacks before it. The changes leave with the result of the call.

import { mergeDelta, pickKeys, sessionDelta } from '../core/session';
import { isJsonObject, type JsonObject, utf8Length } from '../base';
import {
  type AgentSpec,
  type CallModelInput,
  type CallToolInput,
  type Definition,
  type InvalidToolCallAction,
  limits,
  LonghaulError,
  type SessionDelta,
} from '../protocol';
import type { CallbackAnswer, CallbackContext, CallbackHooks, Callbacks } from '../define';
import type { ActivityDependencies } from './dependencies';
import { ownWorkflowId } from './definition/pinned-definition';
import { callLog } from './call-log';
import { notHere } from './failures';
import { askContext } from './log/read-log';
import { type CodePlace, runUserCode, sessionChanges, userCodeError } from './user-code';

type Hook = keyof CallbackHooks;

type Subject<Name extends Hook> = Omit<
  Parameters<NonNullable<CallbackHooks[Name]>>[0],
  keyof CallbackContext
>;

type AnyHook = (context: object) => unknown;
type AnswerOf<Name extends Hook> = Name extends 'onInvalidToolCall'
  ? InvalidToolCallAction
  : CallbackAnswer;

export type CallbackCall = {
  readonly definition: Definition;
  readonly spec: AgentSpec;
  readonly input: CallModelInput | CallToolInput;
  readonly signal: AbortSignal;
};

/** The callbacks of an agent; undefined if it has none. */
export async function callbackChain(
  { registry }: Pick<ActivityDependencies, 'registry'>,
  { definition, spec, input, signal }: CallbackCall,
): Promise<CallbackChain | undefined> {
  if (spec.callbacks === undefined || spec.callbacks.length === 0) return undefined;
  const links = spec.callbacks.map((name) => {
    const callbacks = registry.callbacks.get(name);
    if (callbacks === undefined)
      throw notHere(`callbacks '${name}'`, { details: { callbacks: name } });
    return { callbacks, keys: definition.callbacks?.[name]?.session ?? [] };
  });
  const workflowId = ownWorkflowId();
  const { agentId, path = agentId, turn, iteration = 0, context = {}, session = {} } = input;
  const config = {
    workflowId,
    agentId,
    path,
    turn,
    iteration,
    maxIterations: spec.maxIterations ?? limits.maxIterations,
    context: input.contextByReference === true ? await askContext(workflowId) : context,
    signal,
    log: callLog(),
  };
  return new CallbackChain(links, config, session);
}

/** `keys`: the session keys that the callbacks declare, as the run pinned them. */
type Link = { readonly callbacks: Callbacks; readonly keys: readonly string[] };

export class CallbackChain {
  readonly #links: readonly Link[];
  readonly #config: Omit<CallbackContext, 'session'>;
  readonly #before: JsonObject;
  #session: JsonObject;

  constructor(
    links: readonly Link[],
    config: Omit<CallbackContext, 'session'>,
    session: JsonObject,
  ) {
    this.#links = links;
    this.#config = config;
    this.#before = session;
    this.#session = session;
  }

  /** All keys that came with the call, with the changes of the callbacks so far. */
  get session(): JsonObject {
    return this.#session;
  }

  has(hook: Hook): boolean {
    return this.#links.some(({ callbacks }) => callbacks.hooks[hook] !== undefined);
  }

  /** The changes of all callbacks so far; undefined if there are none. */
  get changes(): SessionDelta | undefined {
    const delta = sessionDelta(this.#before, this.#session);
    if (Object.keys(delta.set).length + delta.removed.length === 0) return undefined;
    const bytes = utf8Length(JSON.stringify(delta));
    if (bytes <= limits.session) return delta;
    throw new LonghaulError(
      'SessionTooLarge',
      `the callbacks changed ${bytes} bytes of the session; at most ${limits.session} are kept`,
      { details: { callbacks: this.#links.map(({ callbacks }) => callbacks.name) } },
    );
  }

  /** Adds the tool's changes between two hooks. */
  merge(delta: SessionDelta): void {
    this.#session = mergeDelta(this.#session, delta);
  }

  /** Runs a hook of each callback, and returns the first answer. Callbacks get copies of `subject`, so changes of it are lost. */
  async run<Name extends Hook>(
    hook: Name,
    subject: Subject<Name>,
  ): Promise<AnswerOf<Name> | undefined> {
    for (const link of this.#links) {
      const code = link.callbacks.hooks[hook] as AnyHook | undefined;
      if (code === undefined) continue;
      const place = hookPlace(link.callbacks.name, hook);
      const answer = await this.#call(code, link.keys, { place, subject });
      if (answer === undefined || answer === null) continue;
      const read = hook === 'onInvalidToolCall' ? readAction : readCallbackAnswer;
      return read(answer, place) as AnswerOf<Name>;
    }
    return undefined;
  }

  async #call(
    code: AnyHook,
    keys: readonly string[],
    { place, subject }: { readonly place: CodePlace; readonly subject: object },
  ): Promise<unknown> {
    const before = pickKeys(this.#session, keys);
    const context = {
      ...this.#config,
      ...structuredClone(subject),
      context: structuredClone(this.#config.context),
      session: structuredClone(before),
    };
    const answer = await runUserCode(place, () => code(context), this.#config.signal);
    const { delta, problem } = sessionChanges({ keys }, { before, after: context.session });
    if (problem !== undefined) throw userCodeError(place, problem);
    this.merge(delta);
    return answer;
  }
}

function hookPlace(callbacks: string, hook: Hook): CodePlace {
  return { name: `callbacks '${callbacks}', ${hook}`, details: { callbacks, hook } };
}

// Checks the answers of hooks, because callbacks may be plain JavaScript without types.

export function readCallbackAnswer(answer: unknown, place: CodePlace): CallbackAnswer {
  if (isJsonObject(answer)) {
    const { kind, reason, text } = answer;
    if (kind === 'abort' && typeof reason === 'string') return { kind, reason };
    if (kind === 'override' && typeof text === 'string') return { kind, text };
  }
  throw userCodeError(place, 'must answer nothing, abort(reason) or overrideResponse(text)');
}

const actionText = { retry: 'feedback', repair: 'name', skip: 'reason', stop: 'reason' } as const;

export function readAction(answer: unknown, place: CodePlace): InvalidToolCallAction {
  const kind = isJsonObject(answer) ? answer['kind'] : undefined;
  if (isJsonObject(answer) && typeof kind === 'string') {
    if (kind === 'fail') return { kind };
    const member = Object.hasOwn(actionText, kind)
      ? actionText[kind as keyof typeof actionText]
      : undefined;
    const text = member === undefined ? undefined : answer[member];
    if (member !== undefined && typeof text === 'string')
      return { kind, [member]: text } as InvalidToolCallAction;
  }
  const actions = Object.entries(actionText).map(
    ([name, member]) => `{kind: '${name}', ${member}}`,
  );
  throw userCodeError(place, `must answer nothing, {kind: 'fail'} or ${actions.join(' or ')}`);
}
