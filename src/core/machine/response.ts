import { defined } from '../../base/defined';
import type { Machine } from './machine';
import type { RunState } from './run-state';
import type { AgentRunResponse } from './steps';
import { textOfParts } from '../../base/text';

/** The result of a finished run: its content is the last message, unless the turn was empty and left none. */
export function toResponse(
  { record, counters }: Machine,
  state: Extract<RunState, { kind: 'done' }>,
): AgentRunResponse {
  const last = record.transcript.last;
  const content = state.content ?? (last?.role === 'assistant' ? last.parts : []);
  return {
    text: textOfParts(content),
    content,
    ...defined({ structured: state.structured }),
    usage: record.usage,
    completionCalls: record.calls.slice(),
    messages: record.transcript.messages,
    iterations: counters.iterations,
    completionReason: state.completionReason,
  };
}
