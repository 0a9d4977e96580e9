import type { RunEvent } from '../../client';
import type { Decision, ModelTurnEvent } from '../../protocol/log';
import { printableLine } from './printable';
import { callLine, joinParts, messageText, resultLine, tokens } from './render-parts';
import type { Style } from './style';
import { clipToWidth, padToWidth } from './table';

export type EventRendererOptions = {
  readonly style: Style;
  readonly width: number;
  /** Model turns before the first event. */
  readonly turn?: number;
};

type Line = {
  readonly label: string;
  readonly text: string;
  readonly look?: 'red' | 'cyan' | 'yellow' | 'dim';
};

const labelWidth = 8;

/** Lines of progress for the events of one run, in their order; the prompt itself is not repeated. */
export function createEventRenderer({
  style,
  width,
  turn = 0,
}: EventRendererOptions): (event: RunEvent) => string[] {
  let currentTurn = turn;
  return (event) => {
    if (event.entry.kind === 'model-turn') currentTurn += 1;
    const number = currentTurn === 0 ? '' : `#${currentTurn}`;
    return linesOf(event).map(({ label, text, look }) => {
      const head = `${padToWidth(number, 4)}${padToWidth(label, labelWidth)}`;
      const body = clipToWidth(text, Math.max(20, width - head.length));
      return `${style.dim(head)}${look === undefined ? body : style[look](body)}`;
    });
  };
}

function linesOf({ index, entry }: RunEvent): readonly Line[] {
  switch (entry.kind) {
    case 'user':
      if (index === 0) return [];
      return [{ label: 'you', text: printableLine(messageText(entry.message.parts)) }];
    case 'model-turn':
      return turnLines(entry);
    case 'tool-result':
      return entry.result.isError
        ? [{ label: 'error', text: resultLine(entry.result), look: 'red' }]
        : [{ label: 'result', text: resultLine(entry.result) }];
    case 'decision':
      return decisionLines(entry.decision);
    case 'summary':
      return [{ label: 'summary', text: printableLine(entry.text), look: 'dim' }];
  }
}

function turnLines({ content, usage, finishReason }: ModelTurnEvent): readonly Line[] {
  const calls = content.filter((part) => part.type === 'tool_call');
  const text = printableLine(messageText(content));
  const cut = finishReason === 'length' ? 'cut at the output limit' : undefined;
  const parts = joinParts([text === '' ? 'no text' : 'text', cut, tokens(usage)]);
  if (calls.length === 0) return [{ label: 'model', text: parts, look: 'dim' }];
  const said: Line[] = text === '' ? [] : [{ label: 'model', text }];
  return [
    ...said,
    ...calls.map((call) => ({ label: 'call', text: callLine(call), look: 'cyan' as const })),
  ];
}

function decisionLines(decision: Decision): readonly Line[] {
  const note = (text: string): readonly Line[] => [
    { label: 'note', text: printableLine(text), look: 'yellow' },
  ];
  switch (decision.kind) {
    case 'history':
      return [];
    case 'repair-call':
      return note(`call ${decision.index + 1} is taken as ${decision.name}`);
    case 'ignore-call':
      return note(`call ${decision.index + 1} is left out`);
    case 'answer-calls':
      return decision.answers.flatMap(({ text }) => note(text));
    case 'edit-call':
      return note(`a person changed the arguments to ${JSON.stringify(decision.args)}`);
    case 'replace-turn':
      return note(`the response became: ${decision.text}`);
    case 'feedback':
      return note(decision.text);
    case 'go-on':
      return note('the provider paused; the model goes on');
  }
}
