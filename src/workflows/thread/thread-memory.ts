// What a thread remembers: the conversation, in its log, and the session after the last turn.
//
// 1. The log only grows, so that a running turn reads what it held when the turn began. To forget all or part of it, the thread starts
//    another log.
// 2. The thread never gives an entry id twice, even after it forgot: workers recognise their copy by the ids.

import { turnsOf } from '../../core/transcript/memory';
import { emptyUsage } from '../../core/budget/usage';
import { runnerAddress } from '../../core/runner-refs';
import type { JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { LogEntry } from '../../protocol/log';
import type { AgentRunResult, RunInput, RunSpend } from '../../protocol/run';
import type { ContextSpec } from '../../protocol/spec';
import type { ThreadInput } from '../../protocol/thread';
import { compactingActivities } from '../activity-proxies';
import { promptOf } from '../run/machine-options';
import { rememberable } from './carried-thread';
import { RunLog } from '../execution/run-log';

export type MemoryPlace = { readonly workflowId: string; readonly runId: string };

export class ThreadMemory {
  readonly #position: MemoryPlace;
  #log: RunLog;
  session: JsonObject = {};
  /** Only an agent may have it. */
  context: ContextSpec | undefined;

  constructor(place: MemoryPlace) {
    this.#position = place;
    this.#log = new RunLog(place);
  }

  get log(): RunLog {
    return this.#log;
  }

  restore(entries: readonly LogEntry[], session: JsonObject): void {
    this.#log = new RunLog({ ...this.#position, entries });
    this.session = session;
  }

  remember(user: RunInput['input'], assistant: string): void {
    this.#log.add({ kind: 'user', message: promptOf(user) });
    this.#log.add({
      kind: 'model-turn',
      content: [{ type: 'text', text: assistant }],
      usage: emptyUsage,
      finishReason: 'stop',
    });
  }

  forget(session: JsonObject): void {
    this.#log = new RunLog({ ...this.#position, minted: this.#log.minted });
    this.session = session;
  }

  /** Leaves the oldest turns behind if there are more than a thread remembers. Returns how many. Only between turns. */
  shorten(): number {
    const { entries, minted } = this.#log;
    const kept = rememberable(entries);
    if (kept === entries) return 0;
    this.#log = new RunLog({ ...this.#position, entries: kept, minted });
    return turnsOf(entries).length - turnsOf(kept).length;
  }

  /** Uses the provider's own token count of the turn that just ended. */
  isFull({ contextTokens }: Pick<AgentRunResult, 'contextTokens'>): boolean {
    const { window, compactAt = limits.compactAt } = this.context ?? {};
    if (window === undefined || contextTokens === undefined) return false;
    if (this.#turnsToSummarise() <= 0) return false;
    return contextTokens >= window * compactAt;
  }

  /** Summarises the older turns. The model then sees the summary instead; the turns stay in the log. Returns what that cost. */
  async compact(input: Pick<ThreadInput, 'runner' | 'application'>): Promise<RunSpend> {
    const log = this.#log;
    const { text, turns, spend } = await compactingActivities.compactTurns({
      ...runnerAddress(input),
      log: log.ref(),
      keepTurns: this.#keptTurns,
    });
    log.add({ kind: 'summary', text, through: turns });
    return spend;
  }

  get #keptTurns(): number {
    return this.context?.keepTurns ?? limits.keptTurns;
  }

  /** How many turns are neither kept as they are nor in the last summary. */
  #turnsToSummarise(): number {
    const { entries } = this.#log;
    const summary = entries.findLast((entry) => entry.kind === 'summary');
    const covered = summary?.kind === 'summary' ? summary.through : 0;
    return turnsOf(entries).length - this.#keptTurns - covered;
  }
}
