// What callbacks need of the run: session keys, the context and the count of rounds travel with the calls they run beside. Pure.

import { ApplicationFailure } from '@temporalio/common';
import { utf8Length } from '../../base/text';
import type {
  AgentFacts,
  CallbackInput,
  CallModelInput,
  ContextInput,
  ToolFacts,
} from '../../protocol/activities';
import { isJsonObject, type JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import { selectKeys } from '../run/session-keys';

/** What goes along with a model call for the code beside it; nothing for agents that have none. */
export function besideModelCall(
  facts: AgentFacts,
  run: {
    readonly session: JsonObject;
    readonly context: JsonObject | undefined;
    readonly iterations: number;
  },
): Pick<CallModelInput, 'session'> & CallbackInput {
  const session = selectKeys(run.session, modelCallKeys(facts));
  return {
    ...(session && { session }),
    ...(facts.callbackSession && contextInput(run.context)),
    ...iterationOf(facts, run.iterations),
  };
}

/** Callbacks and custom criteria are told it. */
function iterationOf(facts: AgentFacts, iteration: number): CallbackInput {
  const isJudged = facts.criteria?.some(({ kind }) => kind === 'custom') === true;
  return isJudged ? { iteration } : iterationInput(facts, iteration);
}

function modelCallKeys({ callbackSession = [], criteria = [], tools }: AgentFacts): string[] {
  const judged = criteria.flatMap((criterion) =>
    criterion.kind === 'custom' ? (criterion.session ?? []) : [],
  );
  const asked = tools.flatMap(({ needsApproval, session }) =>
    needsApproval === 'ask' ? (session ?? []) : [],
  );
  return [...new Set([...callbackSession, ...judged, ...asked])];
}

/** The session keys that travel with a call of this tool. */
export function toolCallKeys({ callbackSession = [] }: AgentFacts, tool: ToolFacts): string[] {
  return [...new Set([...(tool.session ?? []), ...callbackSession])];
}

export function iterationInput(facts: AgentFacts, iteration: number): CallbackInput {
  return facts.callbackSession === undefined ? {} : { iteration };
}

export function contextInput(context: JsonObject | undefined): ContextInput {
  if (context === undefined) return {};
  const isShort = utf8Length(JSON.stringify(context)) <= limits.contextInline;
  return isShort ? { context } : { contextByReference: true };
}

/** Whether a tool call ended because of a callback: that is never a result for the model. */
export function isOfCallbacks(cause: unknown): boolean {
  if (!(cause instanceof ApplicationFailure)) return false;
  const [details]: readonly unknown[] = cause.details ?? [];
  return cause.type === 'CallbackAbort' || (isJsonObject(details) && 'callbacks' in details);
}
