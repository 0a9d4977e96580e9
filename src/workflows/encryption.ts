// Refuses what is encrypted on one side only. Loaded by path, as interceptors of every workflow in our bundles. Knows no runs: it sees
// what the server hands over before any workflow code does.
//
// 1. A new run that comes in clear to a worker that encrypts, or encrypted to one that does not, fails as `EncryptionMismatch`.
//    Nothing of it is lost: it has done nothing yet.
// 2. A run that has done something never fails for it. What a worker cannot read fails the workflow task, with the reason, so that
//    a worker with the codec takes it. What comes together with a start that cannot be read is refused with it.
// 3. Runs that were started in clear before the worker encrypted go on: a patch marks the refusal, not the rule.
// 4. Updates in clear are refused before they are in history. What is in history already, signals among it, is taken.

import {
  ApplicationFailure,
  patched,
  workflowInfo,
  type WorkflowInterceptors,
  type WorkflowInternalsInterceptor,
} from '@temporalio/workflow';
import { payloadMarks } from '../protocol/encryption';

type Activation = Parameters<
  NonNullable<WorkflowInternalsInterceptor['activate']>
>[0]['activation'];
type Job = NonNullable<Activation['jobs']>[number];

const cannotRead =
  "what it was given is encrypted, and this worker has no `encryption`. Give createWorker the client's codec";
const inClear = "came in clear, and this worker encrypts. Give connect the worker's `encryption`";

export const interceptors = (): WorkflowInterceptors => {
  const start = { isClear: false, isUnreadable: false };
  const clearUpdates = new Set<string>();

  const look = (job: Job): void => {
    const { initializeWorkflow, doUpdate } = job;
    if (initializeWorkflow) {
      start.isUnreadable = isMarked(initializeWorkflow, payloadMarks.unreadable);
      start.isClear = isMarked(initializeWorkflow.arguments, payloadMarks.clear);
    } else if (!start.isUnreadable && isMarked(job, payloadMarks.unreadable)) {
      throw new Error(`The run cannot go on here: ${cannotRead}`);
    } else if (doUpdate?.id && isMarked(doUpdate.input, payloadMarks.clear)) {
      clearUpdates.add(doUpdate.id);
    }
  };

  return {
    internals: [
      {
        activate: (input, next) => {
          input.activation.jobs?.forEach(look);
          next(input);
        },
      },
    ],
    inbound: [
      {
        execute: async (input, next) => {
          if (start.isUnreadable) throw unreadableStart();
          if (start.isClear && isNew() && patched('longhaul:refused-in-clear'))
            throw mismatch(`the run ${inClear}`);
          return await next(input);
        },
        validateUpdate: (input, next) => {
          if (clearUpdates.has(input.updateId)) throw mismatch(`the update ${inClear}`);
          next(input);
        },
      },
    ],
  };
};

/** Neither called by another run nor continued from one. */
function isNew(): boolean {
  const { parent, continuedFromExecutionRunId } = workflowInfo();
  return parent === undefined && continuedFromExecutionRunId === undefined;
}

function unreadableStart(): Error {
  const isReplayed = workflowInfo().unsafe.isReplaying;
  if (isNew() && !isReplayed) return mismatch(`the run cannot start: ${cannotRead}`);
  return new Error(`The run cannot go on here: ${cannotRead}`);
}

function mismatch(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, 'EncryptionMismatch');
}

/** Payloads are found wherever they stand in a job. Bytes come from another realm: `instanceof` does not know them. */
function isMarked(value: unknown, mark: string): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  const { metadata } = value as { metadata?: unknown };
  if (typeof metadata === 'object' && metadata !== null && mark in metadata) return true;
  return Object.values(value).some((item) => isMarked(item, mark));
}
