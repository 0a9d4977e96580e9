import type { StreamEvent } from '../../client';
import { callLine, joinParts, messageText, resultLine, tokensText } from './render-parts';
import { clipToWidth, padToWidth, printable, printableLine, type Style } from './text';

const labelWidth = 8;

type Line = readonly [label: string, text: string, look?: 'red' | 'cyan' | 'dim'];

/** Lines of progress for the steps of a run below, in the order of its events. Each names the run by its path below the root. */
export function renderStep(
  event: StreamEvent,
  { style, width }: { readonly style: Style; readonly width: number },
): readonly string[] {
  const path = printableLine(event.path.slice(event.path.indexOf('/') + 1));
  return linesOf(event).map(([label, text, look]) => {
    const head = `${path} ${'turn' in event ? `#${event.turn}  ` : ''}`;
    const start = `${head}${padToWidth(label, labelWidth)}`;
    const body = clipToWidth(text, Math.max(20, width - start.length));
    return `${style.dim(start)}${look === undefined ? body : style[look](body)}`;
  });
}

function linesOf(event: StreamEvent): readonly Line[] {
  switch (event.type) {
    case 'step-end': {
      const text = printableLine(messageText(event.content));
      const calls = event.content.filter((part) => part.type === 'tool_call');
      const tokens = joinParts([text === '' ? 'no text' : text, tokensText(event.usage)]);
      const said: readonly Line[] =
        calls.length === 0 ? [['model', tokens, 'dim']] : text === '' ? [] : [['model', text]];
      return [...said, ...calls.map((call): Line => ['call', callLine(call), 'cyan'])];
    }
    case 'result':
      return event.result.isError
        ? [['error', resultLine(event.result), 'red']]
        : [['result', resultLine(event.result)]];
    case 'end':
      return event.error === undefined ? [] : [['error', printable(event.error.message), 'red']];
    default:
      return [];
  }
}
