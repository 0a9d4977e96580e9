// What the stock Web UI, `describe` and `list` show of a run: memo, search attributes, current details.
//
// 1. The memo changes on pause, resume and end only: every change is an event.
// 2. Search attributes are set only where the definition recorded that they are registered: an unknown one fails the task for ever.
// 3. Current details cost no event; they are rendered as markdown.

import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import { clipText, oneLine, utf8Length } from '../core/text';
import { isJsonObject } from '../protocol/json';
import { limits } from '../protocol/limits';
import type { LogEntry } from '../protocol/log';
import { memoKey, searchAttributes } from '../protocol/names';
import type { RunMemo, RunState } from '../protocol/run';

const agentKey = defineSearchAttributeKey(searchAttributes.agent, 'KEYWORD');
const statusKey = defineSearchAttributeKey(searchAttributes.status, 'KEYWORD');

export function showMemo(state: RunState, reason?: string): void {
  upsertMemo({ [memoKey]: runMemo(state, reason) });
}

export function showAttributes(state: RunState): void {
  upsertSearchAttributes([
    { key: agentKey, value: state.runner },
    { key: statusKey, value: state.status },
  ]);
}

/** What the client put into the memo when it started the run need not be shown again. */
export function shownAtStart(memo: Record<string, unknown> | undefined): string {
  const shown = memo?.[memoKey];
  return isJsonObject(shown) && typeof shown['status'] === 'string' ? shown['status'] : '';
}

/** Within 2 KiB: questions are clipped, then left out from the last on. */
export function runMemo(state: RunState, reason?: string): RunMemo {
  let pending = state.pending.map(({ inputId, kind, question, agentId, path, since }) => ({
    inputId,
    kind,
    question: oneLine(question, 200),
    agentId,
    path: oneLine(path, 100),
    since,
  }));
  const memo = (): RunMemo => ({
    status: state.status,
    agent: state.runner,
    ...(state.path !== state.runner && { path: oneLine(state.path, 200) }),
    pauseSeq: state.pauseSeq,
    ...(pending.length > 0 && { pending }),
    ...(reason !== undefined && { reason: oneLine(reason, 300) }),
  });
  while (utf8Length(JSON.stringify(memo())) > limits.memo) pending = pending.slice(0, -1);
  return memo();
}

export function showDetails(state: RunState, entries: readonly LogEntry[]): void {
  const spend = [
    `turn ${state.turn}`,
    `${state.iterations} tool rounds`,
    `${state.usage.input ?? '?'} tokens in`,
    `${state.usage.output ?? '?'} out`,
  ].join(' · ');
  const lines = [
    `**${state.runner}** · ${state.status} · ${spend}`,
    ...state.pending.map(
      (input) =>
        `\n**Waiting for you** (${input.path}, \`${input.inputId}\`):\n\n> ${oneLine(input.question, 400)}`,
    ),
    ...state.rejected.slice(-1).map((refused) => `\nLast refused signal: ${refused.message}`),
    '\n### Last lines',
    ...entries.slice(-6).flatMap(describeEntry),
  ];
  setCurrentDetails(clipText(lines.join('\n'), limits.details));
}

/** One entry of the log as lines of a conversation. */
function describeEntry(entry: LogEntry): string[] {
  switch (entry.kind) {
    case 'user':
      return [`- **user:** ${textOf(entry.message.parts)}`];
    case 'model-turn':
      return entry.content.flatMap((part) => {
        if (part.type === 'text' && part.text !== '')
          return [`- **agent:** ${oneLine(part.text, 300)}`];
        if (part.type === 'tool_call')
          return [`- **calls** \`${oneLine(`${part.name} ${argumentText(part)}`, 160)}\``];
        return [];
      });
    case 'tool-result':
      return [
        `- \`${entry.result.name}\` ${entry.result.isError ? '**failed:**' : '→'} ${textOf(entry.result.content)}`,
      ];
    case 'decision':
      return entry.decision.kind === 'feedback'
        ? [`- **longhaul:** ${oneLine(entry.decision.text, 200)}`]
        : [];
    case 'summary':
      return [`- **summary:** ${oneLine(entry.text, 200)}`];
  }
}

/** Arguments as a summary shows them. */
export function argumentText(call: { readonly args: unknown; readonly rawArgs?: string }): string {
  return call.args === null ? (call.rawArgs ?? '') : JSON.stringify(call.args);
}

function textOf(
  parts: readonly { readonly type: string; readonly text?: string; readonly value?: unknown }[],
): string {
  const text = parts.map(
    (part) =>
      part.text ?? (part.value === undefined ? `[${part.type}]` : JSON.stringify(part.value)),
  );
  return oneLine(text.join(' '), 240);
}
