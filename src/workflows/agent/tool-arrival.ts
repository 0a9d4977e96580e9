// What became of a tool call, as the loop is given it. Pure.

import type { PendingToolCall } from '../../protocol/agent-run';
import type { ToolOutput, ToolResult } from '../../protocol/message';
import type { SessionDelta } from '../../protocol/session';

export type ResultArrival = {
  readonly kind: 'result';
  readonly result: ToolResult;
  /** Of a result that an activity minted. */
  readonly entryId?: string;
  readonly session?: SessionDelta;
};

export type ToolArrival = ResultArrival | { readonly kind: 'failed'; readonly error: unknown };

export function errorResult(pending: PendingToolCall, text: string): ResultArrival {
  return resultOf(pending, { isError: true, content: [{ type: 'text', text }] });
}

export function resultOf(
  { call, turn, index }: PendingToolCall,
  output: ToolOutput,
): ResultArrival {
  return {
    kind: 'result',
    result: {
      type: 'tool_result',
      callId: call.callId,
      name: call.name,
      ...output,
      turn,
      index,
    },
  };
}
