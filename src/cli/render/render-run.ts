import type { RunState, RunTree } from '../../client';
import { plural } from '../../base';
import {
  type Cell,
  clipToWidth,
  paintStatus,
  printableLine,
  renderTable,
  type Style,
  type TableOptions,
} from './text';
import type { ShownRun } from '../session/read-run';
import {
  callLine,
  type CommandLine,
  joinParts,
  messageText,
  renderAnswerCommands,
  renderQuestion,
  resultLine,
  resultText,
  tokensText,
} from './render-parts';
import type { Message, ToolResult } from '../../protocol';

export type RenderRunOptions = TranscriptOptions & { readonly command: CommandLine };

/** A run as a conversation, with its state before and its open inputs after. */
export function renderRun(
  { workflowId, state, tree, transcript, compactions, end }: Omit<ShownRun, 'fromHistory'>,
  options: RenderRunOptions,
): readonly string[] {
  const { style, command } = options;
  const head = `${style.bold(workflowId)}  ${paintStatus(state.status, style)}`;
  const asked = state.pending.flatMap((input) => renderQuestion(input, style));
  const answers = renderAnswerCommands(workflowId, state.pending, command);
  const lines = [
    head,
    style.dim(stateLine(state)),
    '',
    ...(tree.children.length === 0 ? [] : [...renderTree(tree, options), '']),
    ...renderTranscript(transcript, options),
    ...renderCompactions(compactions, options),
    ...asked,
    ...answers,
    ...(end && 'error' in end ? [style.red(`${end.error.code}: ${end.error.message}`)] : []),
    ...(end && 'result' in end ? [style.dim(printableLine(end.result.completionReason))] : []),
  ];
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function stateLine({ runner, turn, iterations, usage, rejected }: RunState): string {
  return joinParts([
    printableLine(runner),
    turn === 0 ? undefined : plural(turn, 'model turn'),
    iterations === 0 ? undefined : plural(iterations, 'tool round'),
    tokensText(usage),
    rejected.length === 0 ? undefined : plural(rejected.length, 'rejected signal'),
  ]);
}

type TranscriptOptions = {
  readonly style: Style;
  readonly width: number;
  /** Does not cut calls and results. */
  readonly full?: boolean;
};

/** The conversation of a run: messages in full, calls and results on one line each. */
export function renderTranscript(
  messages: readonly Message[],
  options: TranscriptOptions,
): readonly string[] {
  return messages.flatMap((message) => {
    const body = bodyOf(message, options).flatMap((text) => text.split('\n'));
    return [options.style.bold(message.role), ...body.map((line) => `  ${line}`), ''];
  });
}

/** What the model no longer sees, a line for each time. */
function renderCompactions(
  compactions: ShownRun['compactions'],
  options: TranscriptOptions,
): readonly string[] {
  if (compactions.length === 0) return [];
  const lines = compactions.map(({ turn, text }) =>
    fitted(printableLine(`after turn ${turn}: ${text}`), options),
  );
  return [options.style.bold('context'), ...lines.map((line) => `  ${line}`), ''];
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

/** A run and its child runs, a line for each, indented below its caller. */
export function renderTree(tree: RunTree, options: TableOptions): readonly string[] {
  const rows = rowsOf(tree, { depth: 0, options });
  return renderTable(['RUN', 'STATUS', 'SO FAR'], rows, options);
}

function rowsOf(
  tree: RunTree,
  { depth, options }: { depth: number; options: TableOptions },
): readonly (readonly Cell[])[] {
  const { status } = tree;
  return [
    [
      `${'  '.repeat(depth)}${nameOf(tree)}`,
      { text: status, paint: () => paintStatus(status, options.style) },
      nodeLine(tree),
    ],
    ...tree.children.flatMap((child) => rowsOf(child, { depth: depth + 1, options })),
  ];
}

/** `branch-1 (helper)`: the last part of the path, and the runner if its name differs. */
export function nameOf({ path, runner }: Pick<RunTree, 'path' | 'runner'>): string {
  const element = path.slice(path.lastIndexOf('/') + 1);
  return printableLine(element === runner ? runner : `${element} (${runner})`);
}

function nodeLine({ kind, turn, usage, pending }: RunTree): string {
  return joinParts([
    kind === 'agent' ? undefined : kind,
    turn === 0 ? undefined : plural(turn, 'model turn'),
    tokensText(usage),
    ...pending.map(({ question }) => `asks: ${printableLine(question)}`),
  ]);
}
