// What callbacks need of the run: session keys, the context and the count of rounds travel with the calls they run beside. Pure.

import { ApplicationFailure } from '@temporalio/common';
import { utf8Length } from '../../base/text';
import type {
  AgentConfig,
  CallbackInput,
  CallModelInput,
  ContextInput,
  ToolConfig,
} from '../../protocol/activities';
import { isJsonObject, type JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import { selectKeys } from '../run/run-session';

/** What goes along with a model call for the code beside it; nothing for agents that have none. */
export function besideModelCall(
  config: AgentConfig,
  run: {
    readonly session: JsonObject;
    readonly context: JsonObject | undefined;
    readonly iterations: number;
  },
): Pick<CallModelInput, 'session'> & CallbackInput {
  const session = selectKeys(run.session, modelCallKeys(config));
  return {
    ...(session && { session }),
    ...(config.callbackSession && contextInput(run.context)),
    ...iterationOf(config, run.iterations),
  };
}

/** Callbacks and custom criteria are told it. */
function iterationOf(config: AgentConfig, iteration: number): CallbackInput {
  const isChecked = config.criteria?.some(({ kind }) => kind === 'custom') === true;
  return isChecked ? { iteration } : iterationInput(config, iteration);
}

function modelCallKeys({ callbackSession = [], criteria = [], tools }: AgentConfig): string[] {
  const checked = criteria.flatMap((criterion) =>
    criterion.kind === 'custom' ? (criterion.session ?? []) : [],
  );
  const asked = tools.flatMap(({ needsApproval, session }) =>
    needsApproval === 'ask' ? (session ?? []) : [],
  );
  return [...new Set([...callbackSession, ...checked, ...asked])];
}

/** The session keys that travel with a call of this tool. */
export function toolCallKeys({ callbackSession = [] }: AgentConfig, tool: ToolConfig): string[] {
  return [...new Set([...(tool.session ?? []), ...callbackSession])];
}

export function iterationInput(config: AgentConfig, iteration: number): CallbackInput {
  return config.callbackSession === undefined ? {} : { iteration };
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
