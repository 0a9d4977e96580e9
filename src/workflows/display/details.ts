// Writes the current details of a run: Markdown for people who look at it in the Web UI. It shows status and spending, open inputs with how
// to answer them, child runs, and the newest lines of the conversation. Pure.
//
// 1. Texts of tools, models and people are escaped and cut. The whole fits `limits.details`.

import { argumentText } from '../../core/machine/questions';
import type { Compactions } from '../../core/transcript/compactions';
import { codeMarkdown, plainMarkdown } from '../../core/transcript/markdown';
import { clipText, mediaLabel, oneLine, plural, textOfParts, utf8Length } from '../../base';
import {
  askUserTool,
  type ChildView,
  type Decision,
  limits,
  type LogEntry,
  type RetriedCall,
  type RunState,
  type ToolContent,
  type UserEvent,
  type UserMessage,
} from '../../protocol';
import { describeAnswer, describePeople, describeVerdict } from './people-details';

/** What the details show in addition to the state. */
export type Conversation = {
  readonly log: { readonly entries: readonly LogEntry[] };
  readonly children: readonly ChildView[];
  readonly retrying?: RetriedCall | undefined;
};

export function detailsOf(
  state: RunState,
  { log: { entries }, children, retrying }: Conversation,
  compactions: Compactions,
): string {
  const { usage, turn, iterations, costUsd } = state;
  const spend = [
    ...(turn > 0 ? [plural(turn, 'model call'), plural(iterations, 'tool round')] : []),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(4)}`]),
    `${usage.inputTokens ?? '?'} tokens in, ${usage.outputTokens ?? '?'} out`,
  ].join(' · ');
  const lines = [
    `**${state.runner}** · ${state.status} · ${spend}`,
    ...(retrying === undefined ? [] : [describeRetry(retrying)]),
    ...state.pending.map(describePending),
    ...state.rejected
      .slice(-1)
      .map(({ message }) => `\nLast refused signal: ${plain(message, 400)}`),
    ...(state.status === 'completed' ? answerOf(entries) : []),
    ...describeChildren(children),
    ...(entries.length === 0 ? [] : ['\n### Conversation']),
    ...newestLines(entries.slice(0, state.status === 'completed' ? -1 : undefined), compactions),
  ];
  return clipText(lines.join('\n'), limits.details);
}

function describeRetry({ what, failures, since, lastError }: RetriedCall): string {
  return `\nRetries ${plain(what, 100)}, which has failed ${failures} times since ${plain(since, 30)}: ${plain(lastError, 200)}`;
}

/** The question, and how to answer it. */
function describePending(input: RunState['pending'][number]): string {
  const { question, options = [], path, inputId } = input;
  const list = options.map((option) => `\n> - ${plain(option, 80)}`).join('');
  return `\n### Waiting for you\n\n> **${plain(question, 400)}**\n>${list}\n\n${plain(path, 200)}, input ${codeMarkdown(inputId)}${describePeople(input)}${describeAnswer(input)}`;
}

/** The runs below, the newest last. If there are many, it only counts the others. */
function describeChildren(children: readonly ChildView[]): string[] {
  if (children.length === 0) return [];
  const shown = children
    .slice(-8)
    .map(({ path, runner, status }) => `- ${plain(path, 200)} (${plain(runner, 100)}): ${status}`);
  const hidden = children.length - shown.length;
  return ['\n### Runs', ...(hidden > 0 ? [`- ${hidden} earlier ones`] : []), ...shown];
}

function answerOf(entries: readonly LogEntry[]): string[] {
  const last = entries.at(-1);
  if (last?.kind !== 'model-turn') return [];
  const text = textOfParts(last.content);
  return text === ''
    ? []
    : [`\n### Answer\n\n${plainMarkdown(clipText(text, 900)).replaceAll('\n', '  \n')}`];
}

/** Leaves out older lines whole. */
function newestLines(entries: readonly LogEntry[], known: Compactions): string[] {
  const lines: string[] = [];
  let bytes = 0;
  const compactions = compactionLines(entries, known);
  const last = entries.length - 1;
  for (const [back, entry] of entries.slice(-12).reverse().entries()) {
    for (const line of (compactions.get(last - back) ?? describeEntry(entry)).toReversed()) {
      bytes += utf8Length(line) + 1;
      if (bytes > 900) return lines;
      lines.unshift(line);
    }
  }
  return lines;
}

/** What the newest compactions left out of the prompt, by their places in the log. */
function compactionLines(entries: readonly LogEntry[], known: Compactions): Map<number, string[]> {
  const isCompaction = (entry: LogEntry): boolean =>
    entry.kind === 'summary' ||
    (entry.kind === 'decision' && entry.decision.kind === 'clear-results');
  if (!entries.slice(-12).some(isCompaction)) return new Map();
  const shown = known.of(entries).slice(-12);
  return new Map(shown.map(({ index, text }) => [index, [`- **context:** ${plain(text, 200)}`]]));
}

/** One entry of the log as lines of a conversation. */
function describeEntry(entry: LogEntry): readonly string[] {
  switch (entry.kind) {
    case 'user':
      return [`- **${speaker(entry)}:** ${textOf(entry.message.parts)}`];
    case 'model-turn':
      return entry.content.flatMap((part) => {
        if (part.type === 'text' && part.text !== '')
          return [`- **agent:** ${plain(part.text, 200)}`];
        if (part.type !== 'tool_call') return [];
        if (part.name === askUserTool.name)
          return [`- **asks:** ${plain(questionOf(part.args), 200)}`];
        return [`- calls ${code(`${part.name} ${argumentText(part)}`)}`];
      });
    case 'tool-result':
      if (entry.result.name === askUserTool.name)
        return [`- **user:** ${textOf(entry.result.content)}`];
      return [
        `- ${code(entry.result.name)}${entry.inline === true ? ' (inline)' : ''} ${entry.result.isError ? '**failed:**' : '→'} ${textOf(entry.result.content)}`,
      ];
    case 'decision':
      return decisionLines(entry.decision);
    case 'summary':
      return [];
  }
}

function decisionLines(decision: Decision): readonly string[] {
  switch (decision.kind) {
    case 'verdict':
      return describeVerdict(decision);
    case 'feedback':
      return [`- **longhaul:** ${plain(decision.text, 200)}`];
    case 'migration':
      return [`- **longhaul:** moved from definition ${decision.from} to ${decision.to}`];
    default:
      return [];
  }
}

/** The speaker of a message. It marks a message that came while the run worked, and names its sender. */
function speaker({ messageId, by }: UserEvent): string {
  if (messageId === undefined) return 'user';
  return by === undefined ? 'user, meanwhile' : `user, meanwhile (${plain(by.name ?? by.id, 60)})`;
}

function questionOf(args: { readonly question?: unknown } | null): string {
  return typeof args?.question === 'string' ? args.question : '';
}

/** Only the first line, because the rest of a tool's result is for the model. JSON is shown as code. */
function textOf(parts: readonly (ToolContent | UserMessage['parts'][number])[]): string {
  const [first] = parts;
  switch (first?.type) {
    case undefined:
      return '';
    case 'json':
      return code(JSON.stringify(first.value));
    case 'media':
      return plain(mediaLabel(first.mediaType, first.source), 160);
    case 'text': {
      const line = plain(first.text.trimStart().split('\n', 1)[0] ?? '', 160);
      return first.stored === undefined
        ? line
        : `${line} ${plain(mediaLabel('text', first.stored), 160)}`;
    }
  }
}

function plain(text: string, maxBytes: number): string {
  return plainMarkdown(oneLine(text, maxBytes));
}

function code(text: string): string {
  return codeMarkdown(oneLine(text, 120));
}
