import { limits } from '../../protocol/limits';
import type { LogEvent } from '../../protocol/log';
import type { Message, ToolCallPart } from '../../protocol/message';
import type { CalledTool } from '../../protocol/run';
import { allMessages } from './fold-log';
import { utf8Length } from '../../base';

/**
 * The tools that a run called, in the order of its calls. A thread keeps the list with the turn. The list leaves out long
 * arguments. If there are very many calls, it has only the first ones.
 */
export function toolTrace(events: readonly LogEvent[]): readonly CalledTool[] {
  const messages = allMessages(events);
  const trace: CalledTool[] = [];
  let bytes = 0;
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const calls = message.parts.filter((part) => part.type === 'tool_call');
    for (const [place, call] of calls.entries()) {
      const called = calledTool(call, isErrorAt(messages[index + 1], place));
      bytes += utf8Length(JSON.stringify(called));
      if (bytes > limits.toolTrace) return trace;
      trace.push(called);
    }
  }
  return trace;
}

function calledTool({ callId, name, args }: ToolCallPart, isError: boolean): CalledTool {
  const isShort = args !== null && utf8Length(JSON.stringify(args)) <= limits.toolTraceArguments;
  return { callId, name, ...(isShort && { args }), ...(isError && { isError: true as const }) };
}

/** Results are in call order. */
function isErrorAt(message: Message | undefined, place: number): boolean {
  return message?.role === 'tool' && message.parts[place]?.isError === true;
}
