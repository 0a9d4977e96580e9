// Sets handlers. A handler reads what anybody may send, and answers or refuses it without failing the workflow task.
//
// 1. An update takes effect after everything else in its workflow task. A worker without the execution in its cache gets a task without
//    commands and the next task with the update together. A replay gets them one after the other. Both must do the same.

import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  patched,
  setHandler,
} from '@temporalio/workflow';
import { defined, isJsonObject } from '../../base';
import { LonghaulError, queryNames } from '../../protocol';
import { toWorkflowFailure } from '../durable';
import type { RunLog } from '../log/run-log';
import type { Execution } from './execution';
import type { Phase } from './phase';

export function setQuery(
  name: string,
  answer: (query: unknown) => unknown,
  description: string,
): void {
  setHandler(defineQuery<unknown, [unknown]>(name), answer, { description });
}

/** Sends log entries in pages, for runs and threads alike. */
export function setLogQuery(of: { readonly log: RunLog }): void {
  setQuery(
    queryNames.log,
    (query) => {
      const from = position(query, 'from');
      const isDeflated = isJsonObject(query) && query['deflate'] === true;
      return isDeflated ? of.log.deflatedPage(from) : of.log.page(from);
    },
    'Entries of the log, a page: {from}',
  );
}

/** The list position that a query names, 0 by default. Anybody may send a query. */
export function position(query: unknown, name: string): number {
  if (query === undefined || query === null) return 0;
  const asked = isJsonObject(query) ? (query[name] ?? 0) : undefined;
  if (Number.isSafeInteger(asked) && (asked as number) >= 0) return asked as number;
  throw new LonghaulError(
    'InvalidInput',
    `${name} must be a whole number, 0 or more: {"${name}": 0}`,
  );
}

/** Anybody may send a signal. If `take` refuses it, the refusal is recorded. */
export function setSignal(
  execution: Execution,
  name: string,
  {
    take,
    description,
  }: {
    readonly take: (payload: unknown) => Promise<void> | void;
    readonly description?: string;
  },
): void {
  const handler = async (payload: unknown): Promise<void> => {
    execution.history.look();
    try {
      await take(payload);
    } catch (error) {
      execution.refuse(name, error);
    }
  };
  setHandler(defineSignal<[unknown]>(name), handler, defined({ description }));
}

/** `check` refuses by throwing, before the update enters history. */
export function setUpdate<Reply>(
  { phase, history }: Execution,
  name: string,
  {
    take,
    check,
    description,
  }: {
    readonly take: (payload: unknown) => Promise<Reply>;
    readonly check: (payload: unknown) => unknown;
    readonly description: string;
  },
): void {
  const handler = async (payload: unknown): Promise<Reply> => {
    phase.updates += 1;
    history.look();
    try {
      return await afterOthers(phase, () => take(payload));
    } catch (error) {
      throw toWorkflowFailure(isCancellation(error) ? cancelledMeanwhile() : error);
    }
  };
  const validator = validating(check);
  setHandler(defineUpdate<Reply, [unknown]>(name), handler, { validator, description });
}

/** Whoever sent the update did not ask for the cancellation. */
const cancelledMeanwhile = (): LonghaulError =>
  new LonghaulError('RunClosed', 'the run takes nothing more: it is being cancelled');

/** What else the task has done is done by then: each round lets those go on whose condition holds. */
const rounds = 4;

/**
 * Runs the effect of an update after the rest of the workflow task. In an execution of 0.2.0 it runs at once, because it must not wait there.
 */
export function afterOthers<Result>(phase: Phase, effect: () => Promise<Result>): Promise<Result> {
  return patched('longhaul:updates-come-last') ? afterRounds(phase, effect) : effect();
}

async function afterRounds<Result>(phase: Phase, effect: () => Promise<Result>): Promise<Result> {
  phase.arriving += 1;
  for (let round = 0; round < rounds; round += 1) await nextRound();
  phase.arriving -= 1;
  return await effect();
}

/** The SDK checks conditions after everything that is ready to run has run. */
async function nextRound(): Promise<void> {
  let isDone = false;
  void Promise.resolve().then(() => {
    isDone = true;
  });
  await condition(() => isDone);
}

/** A validator refuses by throwing. It must throw a Temporal failure: anything else would fail the workflow task. */
export function validating<Input>(check: (input: Input) => unknown): (input: Input) => void {
  return (input) => {
    try {
      check(input);
    } catch (error) {
      const failure = toWorkflowFailure(error);
      throw failure instanceof Error ? failure : ApplicationFailure.nonRetryable(String(failure));
    }
  };
}

/** An answer or a message may arrive before an execution has loaded. */
export async function whenLoaded(phase: Phase): Promise<void> {
  await condition(() => phase.isLoaded || phase.ended);
}
