// What a model is given of a thread's earlier turns. A thread's log holds, per turn, one `user` and one `model-turn` entry; a
// `summary` stands for the turns before a boundary, which stay in the log. Pure.

import type { LogEntry } from '../protocol/log';
import type { Message } from '../protocol/message';
import type { MemorySpec } from '../protocol/spec';
import { foldLog } from './fold-log';

const introduction = 'Summary of the conversation so far:';

/** Oldest first. Without a spec all turns are given. */
export function foldMemory(
  entries: readonly LogEntry[],
  memory: MemorySpec = { kind: 'full' },
): Message[] {
  const turns = turnsOf(entries);
  const summary = entries.findLast((entry) => entry.kind === 'summary');
  const first = memory.kind === 'windowed' ? Math.max(0, turns.length - memory.turns) : 0;
  const covered = summary?.turns ?? 0;
  const given = turns.slice(Math.max(first, covered)).flat();
  const isNeeded = summary !== undefined && first < covered;
  return [...(isNeeded ? [summaryMessage(summary.text)] : []), ...foldLog(given)];
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

function summaryMessage(text: string): Message {
  return { role: 'user', parts: [{ type: 'text', text: `${introduction}\n${text}` }] };
}
