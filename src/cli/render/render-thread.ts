import type { ShownThread, ShownTurn } from '../session/read-thread';
import { plural } from '../../base';
import {
  type CommandLine,
  joinParts,
  renderAnswerCommands,
  renderQuestion,
  userText,
} from './render-parts';
import { paintStatus, printable, printableLine, type Style } from './text';

type ThreadOptions = { readonly style: Style; readonly command: CommandLine };

/** A conversation: its newest turns, what they ask, and how to see one of them. */
export function renderThread(
  { workflowId, state, turns }: Omit<ShownThread, 'fromHistory'>,
  { style, command }: ThreadOptions,
): readonly string[] {
  const count = state.turn === 0 ? undefined : plural(state.turn, 'turn');
  const last = turns.findLast(({ status }) => status !== 'queued');
  return [
    `${style.bold(workflowId)}  ${paintStatus(state.status, style)}`,
    style.dim(joinParts([printableLine(state.runner), 'conversation', count])),
    '',
    ...turns.flatMap((turn) => renderTurn(turn, style)),
    ...state.pending.flatMap((input) => renderQuestion(input, style)),
    ...renderAnswerCommands(workflowId, state.pending, command),
    ...(last === undefined ? [] : [`see a turn:   ${command(['show', last.workflowId])}`]),
  ];
}

function renderTurn(turn: ShownTurn, style: Style): readonly string[] {
  const { workflowId, status, user, assistant, failure } = turn;
  const said = (who: string, text: string | undefined): readonly string[] =>
    text === undefined ? [] : [style.bold(who), ...indented(text)];
  return [
    `${printableLine(workflowId)}  ${paintStatus(status, style)}`,
    ...said('user', user && userText(user)),
    ...said('assistant', assistant && printable(assistant)),
    ...(failure ? [style.red(printable(failure.message))] : []),
    '',
  ];
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `  ${line}`);
}
