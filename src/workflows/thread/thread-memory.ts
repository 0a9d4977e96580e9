// Keeps what a thread remembers: the conversation, in its log, and the session after the last turn.
//
// 1. The log only grows, so that a running turn reads what it held when the turn began. To forget all or part of it, the thread starts
//    another log.
// 2. The thread never gives an entry id twice, even after it has forgotten turns: workers recognise their copy by the ids.

import { planThreadSummary, type SummaryPlan } from '../../core/context/plan-compaction';
import { PromptMeter } from '../../core/context/prompt-meter';
import { turnsOf } from '../../core/transcript/memory';
import { emptyUsage } from '../../core/budget/usage';
import { runnerAddress } from '../../core/runner-refs';
import type { JsonObject } from '../../base';
import {
  type ContextSpec,
  limits,
  type LogEntry,
  type RunInput,
  type RunSpend,
  type ThreadInput,
} from '../../protocol';
import { summarisingActivities } from '../activity-proxies';
import type { TurnSummary } from '../run/run-result';
import { promptOf } from '../run/machine-options';
import { rememberable } from './carried-thread';
import { RunLog } from '../log/run-log';

export type MemoryPlace = { readonly workflowId: string; readonly runId: string };

export class ThreadMemory {
  readonly #position: MemoryPlace;
  #log: RunLog;
  session: JsonObject = {};

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

  /** The summary that is due after a turn that came near the limit of the model's context. Undefined if none is. */
  planSummary(
    { contextTokens = 0, summarised }: TurnSummary,
    context: ContextSpec | undefined,
  ): SummaryPlan | undefined {
    if (context === undefined) return undefined;
    const { window = Infinity, compactAt = limits.compactAt } = context;
    if (summarised !== true && contextTokens < window * compactAt) return undefined;
    const meter = new PromptMeter();
    meter.read(this.#log.entries);
    return planThreadSummary(meter, context);
  }

  /** Summarises older turns. The model then sees the summary instead; the turns stay in the log. Returns what that cost. */
  async summarise(
    input: Pick<ThreadInput, 'runner' | 'application'>,
    plan: SummaryPlan,
  ): Promise<RunSpend> {
    const log = this.#log;
    const { entry, spend } = await summarisingActivities.summarise({
      ...runnerAddress(input),
      ...plan,
      log: log.ref(),
    });
    if (entry !== undefined) log.add(entry);
    return spend;
  }
}
