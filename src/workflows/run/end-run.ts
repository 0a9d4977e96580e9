// Ends a run: publishes the outcome, saves the session, waits for children and callers, and makes the result or the failure of the
// workflow.
//
// 1. The outcome is out before the run saves anything. Nothing can cancel what follows, and a failed save does not fail the run.
// 2. A run closes after all its children, and after everyone who waits has an answer.
// 3. A child returns its session changes and its spend. Only the root run returns a session.

import { CancellationScope, condition, isCancellation, patched } from '@temporalio/workflow';
import { isSpent } from '../../core/budget/spend';
import { type AgentRunResult, type ChildResult, updateNames } from '../../protocol';
import type { Steering } from '../agent/steering';
import { tooLate } from '../agent/steer-handlers';
import { reported } from '../children/child-failure';
import { reportToCaller } from '../children/messages';
import { storable, toWorkflowFailure } from '../durable';
import type { Execution, RunEnd } from '../lifecycle/execution';
import type { EndStatus } from '../lifecycle/phase';
import { closeSession, savesSession } from './load';
import type { LoadedRun, LoopResult, RunLoop } from './loaded-run';
import { childResult, runResult } from './run-result';

export type Loaded = { readonly run: LoadedRun; readonly loop: RunLoop };

type EndingRun = {
  readonly execution: Execution;
  readonly steering: Steering;
  /** Undefined if the definition is not known. */
  readonly loaded: Loaded | undefined;
};

/** Publishes the result, saves the session and waits for the children. Returns the result of the workflow. */
export async function completeRun(
  { run, loop }: Loaded,
  planned: LoopResult,
): Promise<AgentRunResult | ChildResult> {
  const { execution, children, budget, input, position, session, definition, steering } = run;
  const { workflowId, isRoot } = position;
  const ended = { workflowId, kind: definition.config.kind, budget, session };
  const result = runResult(planned, ended);
  // Checked before it is published, too: an update that cannot carry the result would wedge the run.
  const returned = storable(isRoot ? result : childResult(planned, ended, children.otherSpeakers));
  const closes = children.openCount === 0 && !(isRoot && savesSession(input, definition));
  await endRun({ execution, steering, loaded: { run, loop } }, 'completed', { result, closes });
  if (children.openCount > 0) children.detach();
  if (!('delta' in returned)) return withSteered(run, await save(run, returned));
  if (children.openCount > 0) await reportToCaller({ result: returned });
  await waitForChildren(run);
  return withSteered(run, { ...returned, spend: budget.spend });
}

async function save(run: LoadedRun, result: AgentRunResult): Promise<AgentRunResult> {
  const warnings = await CancellationScope.nonCancellable(() =>
    closeSession(run.input, run.definition, run.session),
  );
  await waitForChildren(run);
  if (warnings.length === 0) return result;
  return { ...result, warnings: [...(result.warnings ?? []), ...warnings] };
}

/** The outcome is out, but runs below are still open, and closing would terminate them. Nobody is left to answer them. */
async function waitForChildren({ children, execution }: LoadedRun): Promise<void> {
  if (children.openCount === 0) return;
  try {
    await children.closed();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => children.closed());
  }
  await CancellationScope.nonCancellable(() => execution.settled());
}

/** Shows the end, if there is one. Answers everyone who waits and sends all reports. */
export async function endRun(
  { execution, steering, loaded }: EndingRun,
  status: EndStatus | undefined,
  end?: RunEnd,
): Promise<void> {
  if (status !== undefined) {
    const { hasUnread, unread } = steering;
    if (hasUnread) execution.refuse(updateNames.send, tooLate(unread));
    execution.end(status, end);
  }
  // Cancelled calls and children end first. If their parent closed first, the server would terminate them.
  if (status === 'cancelled' || status === 'failed') {
    await condition(() => loaded?.loop.noneRunning ?? true);
    await loaded?.run.children.closed();
  }
  try {
    await execution.settled();
  } catch (error) {
    if (status === undefined || !isCancellation(error) || !standsWhenTold()) throw error;
    await CancellationScope.nonCancellable(() => execution.settled());
  }
}

/** A cancellation that met the last answer changes nothing once the outcome is out. In 0.2.0 the run ended as cancelled, unsaved. */
const standsWhenTold = (): boolean => patched('longhaul:told-outcomes-stand');

/** The failure of the workflow. The failure of a called run has its spending. */
export async function failureOf(loaded: Loaded | undefined, error: unknown): Promise<unknown> {
  if (loaded === undefined) return error;
  const { position, input, budget, steering } = loaded.run;
  const { isRoot } = position;
  if (isRoot && input.thread === undefined) return error;
  const { spend } = budget;
  if (!isRoot && isCancellation(error) && isSpent(spend))
    await CancellationScope.nonCancellable(() => reportToCaller({ spend }));
  const steered = input.thread === undefined ? [] : steering.read;
  return reported(toWorkflowFailure(error), spend, steered);
}

/** Only a thread needs the ids of the messages that the model got. */
function withSteered<Result extends AgentRunResult | ChildResult>(
  { input, steering }: LoadedRun,
  result: Result,
): Result {
  const steered = input.thread === undefined ? [] : steering.read;
  return steered.length === 0 ? result : { ...result, steered };
}
