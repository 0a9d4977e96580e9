import type { StreamEvent } from '../../client';
import {
  joinParts,
  type ProgressLine,
  renderProgress,
  resultProgress,
  tokensText,
  turnProgress,
} from './render-parts';
import { printable, printableLine, type Style } from './text';

/** Lines of progress for the steps of a run below, in the order of its events. Each names the run by its path below the root. */
export function renderStep(
  event: StreamEvent,
  options: { readonly style: Style; readonly width: number },
): readonly string[] {
  const path = printableLine(event.path.slice(event.path.indexOf('/') + 1));
  const head = `${path} ${'turn' in event ? `#${event.turn}  ` : ''}`;
  return linesOf(event).map((line) => renderProgress(line, head, options));
}

function linesOf(event: StreamEvent): readonly ProgressLine[] {
  switch (event.type) {
    case 'step-end':
      return turnProgress(event.content, (text) =>
        joinParts([text === '' ? 'no text' : text, tokensText(event.usage)]),
      );
    case 'result':
      return [resultProgress(event.result)];
    case 'end':
      return event.error === undefined
        ? []
        : [{ label: 'error', text: printable(event.error.message), look: 'red' }];
    default:
      return [];
  }
}
