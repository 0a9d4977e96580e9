// What travels with a tool call: arguments inline while the Web UI can show them, else by reference into the log. Pure.

import { utf8Length } from '../../base/text';
import type { PendingToolCall } from '../../protocol/agent-run';
import type { CallToolInput } from '../../protocol/activities';
import type { JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import { contextInput } from './callbacks';
import type { RunLog } from '../run/run-log';

export type ToolCallContext = Omit<CallToolInput, 'turn' | 'index' | 'callId' | 'tool' | 'args'>;

export function argumentsOf(
  { call }: PendingToolCall,
  log: RunLog,
): Pick<CallToolInput, 'args' | 'byReference'> {
  const args = call.args ?? {};
  const text = JSON.stringify(args);
  if (utf8Length(text) <= limits.toolArgumentsInline) return { args };
  const position = positionInLastTurn(log, text);
  if (position === undefined) return { args };
  return { args: { log: log.ref(), ...position }, byReference: true };
}

/** Where the last model turn has a call with these arguments; none where a person edited them. */
function positionInLastTurn(
  log: RunLog,
  args: string,
): { entryId: string; position: number } | undefined {
  const entry = log.entries.findLast((candidate) => candidate.kind === 'model-turn');
  if (entry?.kind !== 'model-turn') return undefined;
  const position = entry.content.findIndex(
    (part) => part.type === 'tool_call' && JSON.stringify(part.args) === args,
  );
  return position < 0 ? undefined : { entryId: entry.id, position };
}

export function contextOf(run: {
  readonly definition: CallToolInput['definition'];
  readonly agentId: string;
  readonly path?: string;
  readonly origin: string;
  readonly context: JsonObject | undefined;
  readonly session: JsonObject | undefined;
  readonly iteration?: number;
}): ToolCallContext {
  const { context, session, ...address } = run;
  return {
    ...address,
    ...(session && { session }),
    ...contextInput(context),
  };
}
