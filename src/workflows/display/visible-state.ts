// What the stock Web UI, `describe` and `list` show of a run: memo, search attributes and current details.
//
// 1. The memo changes only on pause and resume, when a call fails again and again, and at the end of a run that stays open, because every
//    change is an event. A run that closes at once leaves its end to the server's own status.
// 2. A run sets search attributes only if its definition says that they are registered. An unknown attribute fails the task for ever.
// 3. Current details cost no event. The UI renders them as Markdown, so text by others is escaped.

import {
  setCurrentDetails,
  upsertMemo,
  upsertSearchAttributes,
  type WorkflowInfo,
  workflowInfo,
} from '@temporalio/workflow';
import { typedAttributes } from '../../core/run-start';
import { argumentText } from '../../core/machine/questions';
import { Compactions } from '../../core/transcript/compactions';
import { codeMarkdown, plainMarkdown } from '../../core/transcript/markdown';
import { clipText, mediaLabel, oneLine, plural, utf8Length, textOfParts } from '../../base/text';
import { isJsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { Decision, LogEntry, UserEvent } from '../../protocol/log';
import type { ToolContent, UserMessage } from '../../protocol/message';
import { askUserTool, memoKey, searchAttributes } from '../../protocol/names';
import type { Cancelling, ChildView, RunMemo, RunState } from '../../protocol/run';
import { type RetriedCall, retryingMemoKey } from '../../protocol/retrying';
import { describeAnswer, describePeople, describeVerdict } from './visible-people';

/** Shown beside the state. */
export type Marks = {
  /** The hashes of its key. */
  readonly key: readonly string[];
  readonly cancelling: Cancelling | undefined;
};

/** The memo that the client or the execution before has already set. The run need not show it again. */
export function shownAtStart(memo: Record<string, unknown> | undefined): string {
  const shown = memo?.[memoKey];
  if (!isJsonObject(shown)) return '';
  const { status = 'running', pending, key } = shown;
  const inputs = listOf(pending).map((input) => (isJsonObject(input) ? input : {}));
  return shownBriefly({ status, pending: inputs, key: listOf(key) });
}

/** The search attributes that the caller or the execution before has already set. Empty without them. */
function attributesAtStart(attributes: WorkflowInfo['typedSearchAttributes']): string {
  const agent = attributes.get({ name: searchAttributes.agent, type: 'KEYWORD' });
  const status = attributes.get({ name: searchAttributes.status, type: 'KEYWORD' });
  const key = attributes.get({ name: searchAttributes.key, type: 'KEYWORD_LIST' }) ?? [];
  if (agent === undefined || status === undefined) return '';
  return JSON.stringify(typedAttributes({ agent, status, key }));
}

/** The run shows its memo again when this text changes. */
export function shownBriefly({
  status,
  pending,
  key,
}: {
  readonly status: unknown;
  readonly pending: readonly { readonly inputId?: unknown }[];
  readonly key: readonly unknown[];
}): string {
  return JSON.stringify([status, key, pending.map(({ inputId }) => inputId)]);
}

/** Anybody may start a run with any memo. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A memo never has room for more. */
const mostShown = 20;

/** Stays within 2 KiB: it clips the questions, then leaves out the last ones. */
function runMemo(state: RunState, { key, cancelling }: Marks): RunMemo {
  let pending = state.pending
    .slice(0, mostShown)
    .map(({ inputId, kind, question, agentId, path, since, nonce, byToken }) => ({
      inputId,
      kind,
      question: oneLine(question, limits.shownQuestion),
      agentId,
      path: oneLine(path, 100),
      since,
      ...(nonce !== undefined && { nonce }),
      ...(byToken && { byToken }),
    }));
  const memo = (): RunMemo => ({
    ...(state.status !== 'running' && { status: state.status }),
    agent: state.runner,
    ...(state.path !== state.runner && { path: oneLine(state.path, 200) }),
    ...(key.length > 0 && { key }),
    pauseSeq: state.pauseSeq,
    ...(pending.length > 0 && { pending }),
    ...(pending.length < state.pending.length && {
      morePending: state.pending.length - pending.length,
    }),
    ...(cancelling && {
      reason: oneLine(cancelling.reason, 300),
      ...(cancelling.by && { by: oneLine(cancelling.by.id, 300) }),
    }),
  });
  while (pending.length > 0 && utf8Length(JSON.stringify(memo())) > limits.memo) {
    pending = pending.slice(0, -1);
  }
  return memo();
}

function showDetails(
  state: RunState,
  { log: { entries }, children, retrying }: Conversation,
  compactions: Compactions,
): void {
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
  setCurrentDetails(clipText(lines.join('\n'), limits.details));
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

/** A message that came while the run worked says so, and who sent it. */
function speaker({ messageId, by }: UserEvent): string {
  if (messageId === undefined) return 'user';
  return by === undefined ? 'user, meanwhile' : `user, meanwhile (${plain(by.name ?? by.id, 60)})`;
}

function questionOf(args: { readonly question?: unknown } | null): string {
  return typeof args?.question === 'string' ? args.question : '';
}

/** The first line only, because the rest of a tool's result is for the model. JSON stands in code. */
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

/** Decides when the memo, the search attributes and the details change. The first two cost an event per change; the details are free. */

type Conversation = {
  readonly log: { readonly entries: readonly LogEntry[] };
  readonly children: readonly ChildView[];
  readonly retrying?: RetriedCall | undefined;
};

type Shown = Marks &
  Conversation & {
    /** True if the search attributes are registered. */
    readonly indexed: boolean;
    /** True if the execution ends and closes with this workflow task. */
    readonly closes?: boolean;
  };

export class RunDisplay {
  #memo: string;
  #attributes: string;
  /** False for an execution that began before memos left out what the server's own status says. Its history has one more event. */
  readonly #leavesEnd: boolean;
  #compactions = new Compactions();
  #entries: readonly LogEntry[] = [];

  constructor({
    memo,
    typedSearchAttributes,
  }: Pick<WorkflowInfo, 'memo' | 'typedSearchAttributes'>) {
    const shown = memo?.[memoKey];
    this.#memo = shownAtStart(memo);
    this.#leavesEnd = isJsonObject(shown) && shown['status'] === undefined;
    this.#attributes = this.#leavesEnd ? attributesAtStart(typedSearchAttributes) : '';
  }

  show(state: RunState, options: Shown): void {
    if (state.status !== 'loading') {
      this.#showMemo(state, options);
      this.#showAttributes(state, options);
    }
    this.showDetails(state, options);
  }

  #showMemo(state: RunState, { closes = false, ...marks }: Shown): void {
    const status = closes && this.#leavesEnd ? 'running' : state.status;
    const memo = shownBriefly({ ...state, status, key: marks.key });
    if (memo === this.#memo) return;
    upsertMemo({ [memoKey]: runMemo(state, marks) });
    this.#memo = memo;
  }

  #showAttributes({ runner, status }: RunState, { indexed, key }: Shown): void {
    if (!indexed && this.#attributes === '') return;
    const wanted = typedAttributes({ agent: runner, status, key });
    const attributes = JSON.stringify(wanted);
    if (attributes === this.#attributes) return;
    upsertSearchAttributes(wanted);
    this.#attributes = attributes;
  }

  /** An event for each change, and only for runs in trouble. It has a key of its own, so that it takes no room of the open inputs. */
  showRetrying(retrying: RetriedCall | undefined): void {
    const shown = workflowInfo().memo?.[retryingMemoKey];
    if (retrying === undefined && shown === undefined) return;
    upsertMemo({ [retryingMemoKey]: retrying ?? null });
  }

  /** Shows only what costs no event. */
  showDetails(state: RunState, shown: Conversation): void {
    const { entries } = shown.log;
    if (entries !== this.#entries) this.#compactions = new Compactions();
    this.#entries = entries;
    showDetails(state, shown, this.#compactions);
  }
}
