import type { AssistantPart, ToolCallPart } from '../protocol/message';
import type { CallOptions, ModelDelta } from '../providers/provider';

const chunk = /[\s\S]{1,12}/gu;

/** Streams the content as a provider would: text and reasoning in small pieces, then every call in pieces of its arguments. */
export function streamDeltas(content: readonly AssistantPart[], options: CallOptions): void {
  let calls = 0;
  for (const part of content) {
    const index = part.type === 'tool_call' ? calls++ : calls;
    for (const delta of deltasOf(part, index)) {
      options.signal.throwIfAborted();
      options.onActivity();
      options.onDelta(delta);
    }
  }
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
