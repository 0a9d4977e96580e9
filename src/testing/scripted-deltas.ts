import type { AssistantPart, ToolCallPart } from '../protocol/message';
import type { CallOptions, ModelDelta } from '../providers/provider';
import { isCut } from '../providers/stream-cut';

const chunk = /[\s\S]{1,12}/gu;

/**
 * Streams the content as a provider would: text and reasoning in small pieces, then every call in pieces of its arguments.
 * Returns it up to the part where the stream was cut: all of it, mostly.
 */
export function streamDeltas(
  content: readonly AssistantPart[],
  options: CallOptions,
): readonly AssistantPart[] {
  let calls = 0;
  for (const [position, part] of content.entries()) {
    const index = part.type === 'tool_call' ? calls++ : calls;
    for (const delta of deltasOf(part, index)) {
      options.signal.throwIfAborted();
      options.onActivity();
      options.onDelta(delta);
      if (isCut(options.signal)) return content.slice(0, position + 1);
    }
  }
  return content;
}

function deltasOf(part: AssistantPart, index: number): readonly ModelDelta[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return pieces(part.text).map((text) => ({ kind: 'text', text }));
    case 'reasoning':
      return pieces(part.text).map((text) => ({ kind: 'reasoning', text }));
    case 'tool_call':
      return callDeltas(part, index);
    case 'media':
    case 'opaque':
      return [];
  }
}

function callDeltas(
  { callId, name, args, rawArgs }: ToolCallPart,
  index: number,
): readonly ModelDelta[] {
  const text = rawArgs ?? JSON.stringify(args);
  return [
    { kind: 'tool-call', index, callId, name },
    ...pieces(text).map((piece) => ({ kind: 'tool-call', index, args: piece }) as const),
  ];
}

function pieces(text: string): readonly string[] {
  return text.match(chunk) ?? [];
}
