// Answers queries of a run whose workflow task has just failed. Our bundles load this file by path, as interceptors of every workflow. It
// knows no runs.
//
// 1. The SDK may ask a run that it is about to drop. The commands of the failed task are then still there. An answer that goes out with
//    them shuts the whole worker down, so they stay behind. Nobody misses them: the task is tried again, by another instance of the run.
// 2. Such a run has read only a part of its history. Its answers would be wrong, so each query fails.

import type { WorkflowInterceptors, WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { taskFailedHere } from '../core/stored-format';

type Command = Parameters<
  NonNullable<WorkflowInternalsInterceptor['concludeActivation']>
>[0]['commands'][number];

export const interceptors = (): WorkflowInterceptors => ({
  internals: [
    {
      concludeActivation: (input, next) => {
        const { commands } = next(input);
        const answers = commands.filter(({ respondToQuery }) => respondToQuery);
        const isBroken = answers.length > 0 && answers.length < commands.length;
        return { commands: isBroken ? answers.map(refused) : commands };
      },
    },
  ],
});

function refused({ respondToQuery }: Command): Command {
  const failed = { message: taskFailedHere };
  return { respondToQuery: { queryId: respondToQuery?.queryId ?? null, failed } };
}
