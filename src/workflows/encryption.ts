// Refuses data that only one side encrypts. Our bundles load this file by path, as interceptors of every workflow. It knows no runs: it
// sees the server's data before any workflow code does.
//
// 1. A new run fails as `EncryptionMismatch` if it comes in clear to a worker that encrypts, or encrypted to one that does not. Nothing is
//    lost, because the run has done nothing yet.
// 2. A run that has done something never fails for it. If a worker cannot read something, it fails the workflow task with the reason, so
//    that a worker with the codec takes it. If the start cannot be read, everything that came with it is refused too.
// 3. Runs that started in clear before the worker encrypted go on. The patch marks only the refusal, so these runs have no marker.
// 4. Updates in clear are refused before they enter history. The worker takes everything that is already in history, including signals.

import {
  ApplicationFailure,
  patched,
  workflowInfo,
  type WorkflowInterceptors,
  type WorkflowInternalsInterceptor,
} from '@temporalio/workflow';
import { payloadMarks } from '../protocol';

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
        // Not async: a run that waits would hold its promises, with their stacks.
        execute: (input, next) => {
          if (start.isUnreadable) return Promise.reject(unreadableStart());
          if (start.isClear && isNew() && patched('longhaul:refused-in-clear'))
            return Promise.reject(mismatch(`the run ${inClear}`));
          return next(input);
        },
        validateUpdate: (input, next) => {
          if (clearUpdates.has(input.updateId)) throw mismatch(`the update ${inClear}`);
          next(input);
        },
      },
    ],
  };
};

/** True if no other run called it, and it did not continue as new. */
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

/** Finds payloads anywhere in a job. The bytes come from another realm, so `instanceof` does not recognise them. */
function isMarked(value: unknown, mark: string): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  const { metadata } = value as { metadata?: unknown };
  if (typeof metadata === 'object' && metadata !== null && mark in metadata) return true;
  return Object.values(value).some((item) => isMarked(item, mark));
}
