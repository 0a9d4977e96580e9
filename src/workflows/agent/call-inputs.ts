// Selects what a model or tool call sends to the code that runs it: session keys, the context, the iteration count and arguments. Pure.

import { defined, type JsonObject, utf8Length } from '../../base';
import {
  type AgentConfig,
  type CallbackInput,
  type CallModelInput,
  type CallToolInput,
  type CheckArgumentsResult,
  type ContextInput,
  limits,
  type LogEntry,
  type PendingToolCall,
  type ToolConfig,
} from '../../protocol';
import { mayRunInline } from '../../core/loop-config';
import type { RunLog } from '../log/run-log';
import { placeOf } from '../people/approvals';
import { selectKeys } from '../run/run-session';

/** What a model call sends to the agent's own code that runs beside it. Agents without such code send nothing. */
export function besideModelCall(
  config: AgentConfig,
  run: {
    readonly origin: string;
    readonly session: JsonObject;
    readonly context: JsonObject | undefined;
    readonly iterations: number;
  },
): Pick<CallModelInput, 'session' | 'inline'> & CallbackInput {
  const inline = inlineTools(config, run.iterations);
  const session = selectKeys(run.session, modelCallKeys(config, inline));
  const isRead = config.callbackSession !== undefined || inline.length > 0;
  return {
    ...defined({ session }),
    ...(isRead && contextInput(run.context)),
    ...iterationOf(config, run.iterations),
    ...(inline.length > 0 && { inline: { origin: run.origin } }),
  };
}

/** The tools that may run in the activity of the model call. None after the last round: there the run fails before any call. */
function inlineTools(config: AgentConfig, iterations: number): readonly ToolConfig[] {
  const { tools, maxIterations = limits.maxIterations } = config;
  return iterations < maxIterations ? tools.filter((tool) => mayRunInline(config, tool)) : [];
}

/** Callbacks and custom criteria read the iteration. */
function iterationOf(config: AgentConfig, iteration: number): CallbackInput {
  const isChecked = config.criteria?.some(({ kind }) => kind === 'custom') === true;
  return isChecked ? { iteration } : iterationInput(config, iteration);
}

function modelCallKeys(
  { callbackSession = [], criteria = [], tools }: AgentConfig,
  inline: readonly ToolConfig[],
): string[] {
  const checked = criteria.flatMap((criterion) =>
    criterion.kind === 'custom' ? (criterion.session ?? []) : [],
  );
  const asked = tools.flatMap(({ needsApproval, session }) =>
    needsApproval === 'ask' ? (session ?? []) : [],
  );
  const called = inline.flatMap(({ session = [] }) => session);
  return [...new Set([...callbackSession, ...checked, ...asked, ...called])];
}

/** The session keys that a call of this tool sends. */
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

/** Sends arguments inline while the Web UI can show them. Longer arguments go by reference into the log. */
export function argumentsOf(
  { call }: PendingToolCall,
  log: RunLog,
): Pick<CallToolInput, 'args' | 'byReference'> {
  const args = call.args ?? {};
  const text = JSON.stringify(args);
  if (utf8Length(text) <= limits.toolArgumentsInline) return { args };
  const turn = lastModelTurn(log);
  const position = turn?.content.findIndex(
    (part) => part.type === 'tool_call' && JSON.stringify(part.args) === text,
  );
  // The turn does not contain arguments that a person edited.
  if (turn === undefined || position === undefined || position < 0) return { args };
  return { args: { log: log.ref(), entryId: turn.id, position }, byReference: true };
}

/**
 * The check of this call's arguments by the worker that made the model turn. Only the user's own activities need it. Undefined if a person
 * or a repair has changed the call since.
 */
export function checkedArguments(
  { call }: PendingToolCall,
  log: RunLog,
): CheckArgumentsResult | undefined {
  const turn = lastModelTurn(log);
  const args = JSON.stringify(call.args);
  const index = turn?.content
    .filter((part) => part.type === 'tool_call')
    .findIndex((made) => made.name === call.name && JSON.stringify(made.args) === args);
  if (index === undefined || index < 0) return undefined;
  const found = turn?.checks?.argumentProblems?.find((answer) => answer.index === index);
  return found === undefined ? {} : { problem: found.text };
}

/** Whether a person, or an earlier approval, has decided about the call. */
export function wasAsked({ turn, index }: PendingToolCall, { entries }: RunLog): boolean {
  const since = entries.slice(entries.findLastIndex(({ kind }) => kind === 'model-turn'));
  return since.some((entry) => {
    if (entry.kind !== 'decision' || entry.decision.kind !== 'verdict') return false;
    const [atTurn, atIndex] = placeOf(entry.decision.inputId);
    return atTurn === turn && atIndex === index;
  });
}

function lastModelTurn(log: RunLog): Extract<LogEntry, { kind: 'model-turn' }> | undefined {
  const turn = log.entries.findLast((entry) => entry.kind === 'model-turn');
  return turn?.kind === 'model-turn' ? turn : undefined;
}
