// What `state` and `why` say of a run beyond its own state.

import type { Client } from '@temporalio/client';
import { allWorkflowTypes, type RunState, threadType } from '../../protocol';
import { notOurs, type RunView, stateFromMemo } from '../read/run-view';
import { type Diagnosis, Diagnostician } from './diagnosis';
import { explain, type Why } from './explain';
import { endOf, type RunEnd } from './run-end';

const askedMs = 2_000;

/** The state of a run, what holds it up, and how it ended. */
export type RunReport = RunState & Diagnosis & RunEnd;

export async function reportOn(client: Client, view: RunView): Promise<RunReport> {
  const { state, execution } = await view.look();
  const [diagnosis, end] = await Promise.all([
    new Diagnostician(client).look(execution, state.pending),
    endOf(client, execution),
  ]);
  return { ...state, ...diagnosis, ...end };
}

/** Asks a worker only for what the memo lacks: who may decide, and until when. */
export async function whyOf(client: Client, view: RunView): Promise<Why> {
  const execution = await view.describe();
  const { workflowId, type, raw } = execution;
  if (!allWorkflowTypes.includes(type)) throw notOurs(workflowId, type);
  const { status, pending } = stateFromMemo(execution);
  const asked = pending.length > 0 ? await pendingOfWorker(view) : undefined;
  const diagnosis = await new Diagnostician(client).look(execution, asked ?? pending);
  const end = await endOf(client, execution);
  const isCancelling = raw.workflowExtendedInfo?.cancelRequested === true;
  const isThread = type === threadType;
  const facts = { workflowId, status, ...diagnosis, end, isCancelling, isThread };
  return { workflowId, status, ...diagnosis, ...explain(facts, new Date()) };
}

async function pendingOfWorker(view: RunView): Promise<RunState['pending'] | undefined> {
  try {
    return (await view.stateOfWorker(askedMs))?.pending;
  } catch {
    return undefined;
  }
}
