// Refuses the queries that a run cannot answer yet. Our bundles load this file by path, as interceptors of every workflow. It knows no
// runs.
//
// 1. The SDK may ask a run that it is about to drop, because its workflow task has just failed. The commands of the failed task are then
//    still there. An answer that goes out with them shuts the whole worker down, so they stay behind. Nothing is lost: the task is tried
//    again, by another instance of the run.
// 2. Such a run has read only a part of its history. Its answers would be wrong, so each query fails.
// 3. A query that waited for a worker comes with the present history. It may end with events that no workflow task has taken yet, and the
//    SDK gives them to the run all the same. The task comes later, with another time, and its updates go first. So what the run did ahead
//    of the task would never happen like that. The query then fails as an error of the whole activation, and the SDK drops this instance of
//    the run. A closed run gets no task any more: our clients mark queries to it with a header, and get the answer.

import type { WorkflowInterceptors, WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { taskFailedHere } from '../core/stored-format';
import { closedRunHeader, taskComesFirst } from '../protocol';

type Command = Parameters<
  NonNullable<WorkflowInternalsInterceptor['concludeActivation']>
>[0]['commands'][number];

type Activation = Parameters<
  NonNullable<WorkflowInternalsInterceptor['activate']>
>[0]['activation'];

export const interceptors = (): WorkflowInterceptors => {
  const progress = new Progress();
  return {
    internals: [
      {
        activate: (input, next) => {
          const { activation } = input;
          // An activation with a query has no other jobs.
          const query = activation.jobs?.find(({ queryWorkflow }) => queryWorkflow)?.queryWorkflow;
          const isClosed = query?.headers?.[closedRunHeader] !== undefined;
          if (!query) progress.take(activation);
          else if (progress.isAhead && !isClosed) throw new Error(taskComesFirst);
          next(input);
        },
        concludeActivation: (input, next) => {
          const { commands } = next(input);
          const answers = commands.filter(({ respondToQuery }) => respondToQuery);
          const isBroken = answers.length > 0 && answers.length < commands.length;
          return { commands: isBroken ? answers.map(refused) : commands };
        },
      },
    ],
  };
};

/** How far the run has come. */
class Progress {
  #events = 0;
  #task = '';
  #isAhead = false;

  /** Whether the run has taken events ahead of their workflow task. */
  get isAhead(): boolean {
    return this.#isAhead;
  }

  /** The time and the size of history are those of the beginning of the last workflow task. */
  take({ historyLength, historySizeBytes, timestamp, isReplaying }: Activation): void {
    const events = historyLength ?? 0;
    const task = [timestamp?.seconds, timestamp?.nanos, historySizeBytes].join();
    // Jobs may come in several batches, and then they have the same events.
    if (events !== this.#events) this.#isAhead = isReplaying !== true && task === this.#task;
    this.#events = events;
    this.#task = task;
  }
}

function refused({ respondToQuery }: Command): Command {
  const failed = { message: taskFailedHere };
  return { respondToQuery: { queryId: respondToQuery?.queryId ?? null, failed } };
}
