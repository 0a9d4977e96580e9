/*
 * Decides when a prompt becomes smaller, and what leaves it. Pure.
 *
 * C1. Long results of older turns go first, because the model can get them again. Then a summary takes the place of older turns.
 * C2. A compaction aims well below the limit, so that it is rare. Between two of them, each prompt begins with the one before it.
 * C3. A turn that goes on where the last one paused stays with it.
 */
import { defined } from '../../base';
import type { Clearing } from '../../protocol/log';
import { limits } from '../../protocol/limits';
import type { ContextSpec } from '../../protocol/spec';
import type { PromptMeter } from './prompt-meter';

/** A compaction aims at this share of the limit, or of the prompt that was too long. */
const aimShare = 0.5;
/** A compaction that gains less than this share of the window is not worth a new prefix in the provider's cache. */
const leastShare = 0.1;
/** The summary's share of the aim, and of what it replaces. */
const summaryShare = 0.25;
const replacedShare = 0.5;
/** The least bytes to replace by a summary. A summary of less would not be shorter. */
const leastReplaced = 400;
/** The summary's request must fit into the context, too, with a reserve. */
const readShare = 0.75;

export type CompactionPlan = {
  readonly clear?: Clearing;
  readonly summarise?: SummaryPlan;
};

/** A summary of the turns up to `through`, in at most `maxBytes`, from at most `readBytes` of text. */
export type SummaryPlan = {
  readonly through: number;
  readonly maxBytes: number;
  readonly readBytes: number;
};

export type PlanRequest = {
  readonly context: ContextSpec;
  /** The results of these tools stay, because nobody should call the tools again. */
  readonly except: readonly string[];
  /** The provider refused the prompt as too long. */
  readonly isTooLong: boolean;
  /** The prompt begins with the earlier turns of a thread. */
  readonly hasMemory: boolean;
  /** False for a while after a summary failed. */
  readonly maySummarise: boolean;
};

/** The compaction that a prompt needs. Undefined if the prompt may go as it is, or if nothing would make it much smaller. */
export function planCompaction(
  meter: PromptMeter,
  request: PlanRequest,
): CompactionPlan | undefined {
  const goal = goalOf(meter, request);
  if (goal === undefined) return undefined;
  const prompt = new PlannedPrompt(meter, request);
  const clear = planClearing(prompt, goal);
  if (prompt.tokens({ clear }) <= goal.aim) return clear && { clear };
  const summarise = planSummary(prompt, goal, clear);
  const isStillTooLong =
    request.isTooLong && prompt.tokens({ clear, through: summarise?.through }) > goal.aim;
  const cleared = (isStillTooLong ? lastResort(prompt) : undefined) ?? clear;
  if (cleared === undefined && summarise === undefined) return undefined;
  return { ...defined({ clear: cleared, summarise }) };
}

/** In tokens. `limit`: what the turns that stay may take. `least`: what a step must gain. */
type Goal = { readonly limit: number; readonly aim: number; readonly least: number };

function goalOf(
  meter: PromptMeter,
  { context, isTooLong }: Pick<PlanRequest, 'context' | 'isTooLong'>,
): Goal | undefined {
  const tokens = meter.tokensOf(meter.bytes);
  const { window, compactAt = limits.compactAt } = context;
  if (isTooLong) {
    const aim = tokens * aimShare;
    return { limit: aim, aim, least: aim * leastShare };
  }
  if (window === undefined || tokens <= window * compactAt) return undefined;
  const limit = window * compactAt;
  return { limit, aim: limit * aimShare, least: window * leastShare };
}

/** The prompt as it would be after a compaction. */
class PlannedPrompt {
  readonly meter: PromptMeter;
  readonly request: PlanRequest;
  /** The thread's turns are in the prompt, and the first summary takes their place, too. */
  readonly hasMemory: boolean;

  constructor(meter: PromptMeter, request: PlanRequest) {
    this.meter = meter;
    this.request = request;
    this.hasMemory = request.hasMemory && meter.through === undefined;
  }

  /** It is unknown how much of the last report was memory. So without memory, only bytes count. */
  tokens({
    clear,
    through,
  }: {
    clear?: Clearing | undefined;
    through?: number | undefined;
  }): number {
    const { meter } = this;
    const cleared = clear === undefined ? 0 : meter.gainOfClearing(clear, through);
    const cut = through === undefined ? 0 : meter.gainOfSummary(through);
    const bytes = meter.bytes - cleared - cut;
    return this.hasMemory && through !== undefined ? bytes * meter.ratio : meter.tokensOf(bytes);
  }

  clearing(through: number): Clearing | undefined {
    const { context, except } = this.request;
    if (context.clearResults === false) return undefined;
    const over = context.clearResults?.over ?? limits.clearedResult;
    return { kind: 'clear-results', through, over, ...(except.length > 0 && { except }) };
  }
}

function planClearing(prompt: PlannedPrompt, { least }: Goal): Clearing | undefined {
  const { meter, request } = prompt;
  const { olderThan = limits.keptResults } = request.context.clearResults || {};
  const clearing = prompt.clearing(Math.max(0, meter.turns - olderThan));
  if (clearing === undefined) return undefined;
  return meter.gainOfClearing(clearing) * meter.ratio >= least ? clearing : undefined;
}

/** Even the turns that stay are too long, so their long results go. The model sees their sizes, and asks for less. */
function lastResort(prompt: PlannedPrompt): Clearing | undefined {
  const clearing = prompt.clearing(prompt.meter.turns);
  return clearing && prompt.meter.gainOfClearing(clearing) > 0 ? clearing : undefined;
}

function planSummary(
  prompt: PlannedPrompt,
  goal: Goal,
  clear: Clearing | undefined,
): SummaryPlan | undefined {
  const { meter, hasMemory } = prompt;
  const { context, maySummarise, isTooLong } = prompt.request;
  if (!maySummarise && !isTooLong) return undefined;
  const fits = (through: number): boolean => prompt.tokens({ clear, through }) <= goal.limit;
  return summaryOf(meter, { context, goal, fits, hasMemory });
}

/**
 * Plans a summary between two turns of a thread, because its context is nearly full or too long. `meter` is the one of the thread's log.
 */
export function planThreadSummary(
  meter: PromptMeter,
  context: ContextSpec,
): SummaryPlan | undefined {
  const { window = Infinity, compactAt = limits.compactAt } = context;
  const limit = window * compactAt;
  const least = window === Infinity ? 0 : window * leastShare;
  const goal = { limit, aim: limit * aimShare, least };
  const fits = (turn: number): boolean =>
    meter.tokensOf(meter.bytes - meter.gainOfSummary(turn)) <= limit;
  return summaryOf(meter, { context, goal, fits, hasMemory: false });
}

type SummaryRequest = {
  readonly context: ContextSpec;
  readonly goal: Goal;
  /** Whether the rest fits after a summary of so many turns. */
  readonly fits: (through: number) => boolean;
  readonly hasMemory: boolean;
};

function summaryOf(
  meter: PromptMeter,
  { context, goal, fits, hasMemory }: SummaryRequest,
): SummaryPlan | undefined {
  const wanted = meter.turns - (context.keepTurns ?? limits.keptTurns);
  const through = lastSummarised(meter, wanted, fits);
  const replaced = meter.gainOfSummary(through);
  const isWorth = replaced >= leastReplaced && replaced * meter.ratio >= goal.least;
  const isNew = isWorth && through > (meter.through ?? 0);
  if (!isNew && !hasMemory) return undefined;
  const share = Math.max(leastReplaced, (goal.aim * summaryShare) / meter.ratio);
  const most = Math.min(share, limits.runSummary);
  return {
    through,
    maxBytes: Math.floor(hasMemory ? most : Math.min(most, replaced * replacedShare)),
    readBytes: Math.floor(Math.min(limits.carriedText, (goal.limit * readShare) / meter.ratio)),
  };
}

/** The last turn that a summary stands for: the `wanted` one, or a later one until the rest fits. The last turn of all always stays. */
function lastSummarised(
  meter: PromptMeter,
  wanted: number,
  fits: (through: number) => boolean,
): number {
  const first = meter.through ?? 0;
  let through = Math.max(first, Math.min(wanted, meter.turns - 1));
  while (through > first && !meter.isBoundary(through)) through -= 1;
  for (let turn = through + 1; turn < meter.turns && !fits(through); turn += 1) {
    if (meter.isBoundary(turn)) through = turn;
  }
  return through;
}
