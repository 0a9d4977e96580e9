import type { Message } from '../../src/protocol/message';

/** A conversation to compare at a glance: a line for each part. `→` is a call, `←` its result, `✗` one that is an error. */
export function linesOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) => [...parts].map(lineOf));
}

function lineOf(part: Message['parts'][number]): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'tool_call') return `→ ${part.name} ${JSON.stringify(part.args)}`;
  if (part.type !== 'tool_result') return part.type;
  const texts = part.content.map((item) =>
    item.type === 'text' ? item.text : JSON.stringify(item.type === 'json' ? item.value : item),
  );
  return `${part.isError ? '✗' : '←'} ${part.name} ${texts.join(' | ')}`;
}
