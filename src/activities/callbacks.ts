// Runs an agent's callbacks around one call: in the order the agent lists them, up to the first that answers. What they change of
// the session is seen by those after them, and leaves with the call's result.

import { log } from '@temporalio/activity';
import { checkExactJson, mergeDelta, pickKeys, sessionDelta, violationText } from '../core/session';
import { utf8Length } from '../base/text';
import type { CallModelInput, CallToolInput } from '../protocol/activities';
import { LonghaulError } from '../protocol/errors';
import type { JsonObject } from '../base/json';
import { limits } from '../protocol/limits';
import type { SessionDelta } from '../protocol/session';
import type { AgentSpec, Definition } from '../protocol/spec';
import type { CallbackContext, CallbackHooks, Callbacks } from '../define/callbacks';
import { callbackError, callbackFailure, type HookPlace } from './callback-failure';
import type { ActivityDependencies } from './dependencies';
import { ownWorkflowId } from './definition/pinned-definition';
import { askContext } from './log/read-log';
import { untilAborted } from './until-aborted';

type Hook = keyof CallbackHooks;
type Subject<Name extends Hook> = Omit<
  Parameters<NonNullable<CallbackHooks[Name]>>[0],
  keyof CallbackContext
>;
type AnyHook = (context: object) => unknown;

export type CallbackCall = {
  readonly definition: Definition;
  readonly spec: AgentSpec;
  readonly input: CallModelInput | CallToolInput;
  readonly signal: AbortSignal;
};

/** The chain of an agent's callbacks; undefined when it has none. */
export async function callbackChain(
  { registry }: Pick<ActivityDependencies, 'registry'>,
  { definition, spec, input, signal }: CallbackCall,
): Promise<CallbackChain | undefined> {
  if (spec.callbacks === undefined || spec.callbacks.length === 0) return undefined;
  const links = spec.callbacks.map((name) => {
    const callbacks = registry.callbacks.get(name);
    if (callbacks === undefined) {
      const message = `this worker has no callbacks '${name}'`;
      throw new LonghaulError('NotRegisteredHere', message, {
        retryable: true,
        details: { callbacks: name },
      });
    }
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
    log,
  };
  return new CallbackChain(links, config, session);
}

/** `keys`: of the session, as the run pinned them. */
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

  /** As the callbacks have left it so far: all keys that came with the call. */
  get session(): JsonObject {
    return this.#session;
  }

  has(hook: Hook): boolean {
    return this.#links.some(({ callbacks }) => callbacks.hooks[hook] !== undefined);
  }

  /** What leaves with the call's result. */
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

  /** The code between two hooks changed the session, too. */
  merge(delta: SessionDelta): void {
    this.#session = mergeDelta(this.#session, delta);
  }

  /** The first answer, as `read` understands it. `subject` is copied: what callbacks do to it stays with them. */
  async run<Name extends Hook, Answer>(
    hook: Name,
    subject: Subject<Name>,
    read: (answer: unknown, place: HookPlace) => Answer,
  ): Promise<Answer | undefined> {
    for (const link of this.#links) {
      const code = link.callbacks.hooks[hook] as AnyHook | undefined;
      if (code === undefined) continue;
      const answer = await this.#call(code, link, { hook, subject });
      if (answer === undefined || answer === null) continue;
      return read(answer, { callbacks: link.callbacks.name, hook });
    }
    return undefined;
  }

  async #call(
    code: AnyHook,
    { callbacks, keys }: Link,
    { hook, subject }: { readonly hook: Hook; readonly subject: object },
  ): Promise<unknown> {
    const place = { callbacks: callbacks.name, hook };
    const before = pickKeys(this.#session, keys);
    const context = {
      ...this.#config,
      ...structuredClone(subject),
      context: structuredClone(this.#config.context),
      session: structuredClone(before),
    };
    let answer: unknown;
    try {
      answer = await untilAborted(async () => await code(context), this.#config.signal);
    } catch (error) {
      throw callbackFailure(place, error);
    }
    this.merge(changesOf(place, keys, { before, after: context.session }));
    return answer;
  }
}

/** Anything but JSON under declared keys is a bug worth an error, not a silent loss. */
function changesOf(
  place: HookPlace,
  keys: readonly string[],
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
): SessionDelta {
  const violation = checkExactJson(after);
  if (violation !== undefined)
    throw callbackError(place, `left a session that is not JSON${violationText(violation)}`);
  const delta = sessionDelta(before, after);
  const foreign = [...Object.keys(after), ...delta.removed].filter((key) => !keys.includes(key));
  if (foreign.length === 0) return delta;
  throw callbackError(place, `changed session keys it does not declare: ${foreign.join(', ')}`);
}
