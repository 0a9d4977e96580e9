import type { Message, ToolResult } from '../../protocol/message';
import { printableLine } from './printable';
import { callLine, messageText, resultLine, resultText } from './render-parts';
import type { Style } from './style';
import { clipToWidth } from './text-width';

export type TranscriptOptions = {
  readonly style: Style;
  readonly width: number;
  /** Calls and results are not cut. */
  readonly full?: boolean;
};

/** The conversation of a run: what was said in full, calls and results on one line each. */
export function renderTranscript(
  messages: readonly Message[],
  options: TranscriptOptions,
): readonly string[] {
  return messages.flatMap((message) => {
    const body = bodyOf(message, options).flatMap((text) => text.split('\n'));
    return [options.style.bold(message.role), ...body.map((line) => `  ${line}`), ''];
  });
}

function bodyOf(message: Message, options: TranscriptOptions): readonly string[] {
  const text = messageText(message.parts);
  const said = text === '' ? [] : [text];
  if (message.role === 'tool') return message.parts.map((result) => resultBody(result, options));
  if (message.role !== 'assistant') return said;
  const calls = message.parts
    .filter((part) => part.type === 'tool_call')
    .map((call) => options.style.cyan(fitted(`→ ${callLine(call)}`, options)));
  return [...said, ...calls];
}

function resultBody(result: ToolResult, options: TranscriptOptions): string {
  const { style, full } = options;
  const mark = result.isError ? '✗' : '←';
  const text =
    full === true
      ? `${mark} ${printableLine(result.name)}\n${resultText(result)}`
      : `${mark} ${resultLine(result)}`;
  return result.isError ? style.red(fitted(text, options)) : fitted(text, options);
}

function fitted(text: string, { width, full }: TranscriptOptions): string {
  return full === true ? text : clipToWidth(text, width - 2);
}
