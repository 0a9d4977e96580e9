// Selects the earlier turns of a thread that a model gets. A thread's log has one `user` and one `model-turn` entry for each turn. A
// `summary` stands for the turns before a boundary. Those turns stay in the log. Pure.

import { textOfParts } from '../../base';
import type { LogEntry } from '../../protocol/log';
import type { Message, UserMessage } from '../../protocol/message';
import type { RunInput } from '../../protocol/run';
import type { MemorySpec } from '../../protocol/spec';
import { foldLog } from './fold-log';
import { summaryMessage } from './prompt-view';

/** The turns that the model gets, oldest first. Without a spec, all turns. */
export function foldMemory(
  entries: readonly LogEntry[],
  memory: MemorySpec = { kind: 'full' },
): Message[] {
  const turns = turnsOf(entries);
  const summary = entries.findLast((entry) => entry.kind === 'summary');
  const first = memory.kind === 'windowed' ? Math.max(0, turns.length - memory.turns) : 0;
  const covered = summary?.through ?? 0;
  const given = turns.slice(Math.max(first, covered)).flat();
  const isNeeded = summary !== undefined && first < covered;
  return [...(isNeeded ? [summaryMessage(summary.text)] : []), ...foldLog(given)];
}

/** The texts of a turn, with a description in place of each media part. */
export type SaidTurn = { readonly user: RunInput['input']; readonly assistant: string };

/** The texts of each turn in the log, oldest first. */
export function saidTurns(entries: readonly LogEntry[]): readonly SaidTurn[] {
  return turnsOf(entries).map(([user, answer]) => ({
    user: user?.kind === 'user' ? saidInput(user.message.parts) : '',
    assistant: answer?.kind === 'model-turn' ? textOfParts(answer.content) : '',
  }));
}

/** The entries of each turn, in order. */
export function turnsOf(entries: readonly LogEntry[]): readonly (readonly LogEntry[])[] {
  const turns: LogEntry[][] = [];
  for (const entry of entries) {
    if (entry.kind === 'user') turns.push([entry]);
    else if (entry.kind !== 'summary') turns.at(-1)?.push(entry);
  }
  return turns;
}

/** Turns a single text part back into the plain text that somebody sent. */
function saidInput(parts: UserMessage['parts']): RunInput['input'] {
  const [first] = parts;
  if (parts.length === 1 && first?.type === 'text') return first.text;
  return parts.map((part) =>
    part.type === 'text' ? part : { type: 'text' as const, text: `[${part.mediaType}]` },
  );
}
