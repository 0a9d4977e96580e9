import type { RunState } from '../../client';
import { paintStatus } from './paint-status';
import { printableLine } from './printable';
import type { ShownRun } from '../session/read-run';
import { joinFacts, plural, tokens } from './render-parts';
import { renderAnswerCommands, renderQuestion, type CommandLine } from './render-pending';
import { renderTranscript, type TranscriptOptions } from './render-transcript';
import { renderTree } from './render-tree';

export type RenderRunOptions = TranscriptOptions & { readonly command: CommandLine };

/** A run as a conversation, between where it stands and what it waits for. */
export function renderRun(
  { runId, state, tree, transcript, end }: Omit<ShownRun, 'fromHistory'>,
  options: RenderRunOptions,
): readonly string[] {
  const { style, command } = options;
  const head = `${style.bold(runId)}  ${paintStatus(state.status, style)}`;
  const asked = state.pending.flatMap((input) => renderQuestion(input, style));
  const answers = renderAnswerCommands(runId, state.pending, command);
  const lines = [
    head,
    style.dim(factsOf(state)),
    '',
    ...renderTree(tree, options),
    ...renderTranscript(transcript, options),
    ...asked,
    ...answers,
    ...(end && 'error' in end ? [style.red(`${end.error.code}: ${end.error.message}`)] : []),
    ...(end && 'result' in end ? [style.dim(printableLine(end.result.completionReason))] : []),
  ];
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function factsOf({ runner, turn, iterations, usage, rejected }: RunState): string {
  return joinFacts([
    printableLine(runner),
    turn === 0 ? undefined : plural(turn, 'model turn'),
    iterations === 0 ? undefined : plural(iterations, 'tool round'),
    tokens(usage),
    rejected.length === 0 ? undefined : plural(rejected.length, 'rejected signal'),
  ]);
}
