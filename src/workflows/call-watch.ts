// Interceptors of runs and threads that watch their activity calls, so that a run can show which calls are tried again. They also take the
// workers' notes about such calls. Our bundles load this file by path.

import { workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { allWorkflowTypes, signalNames } from '../protocol';
import { RetriedCalls } from './display/retried-calls';

export const interceptors = (): WorkflowInterceptors => {
  if (!allWorkflowTypes.includes(workflowInfo().workflowType)) return {};
  const calls = new RetriedCalls();
  return {
    inbound: [
      {
        handleSignal: (input, next) => {
          if (input.signalName !== signalNames.retrying) return next(input);
          const isNews = calls.take(input.args[0]);
          return isNews ? next({ ...input, args: [calls] }) : Promise.resolve();
        },
      },
    ],
    outbound: [
      {
        // Not async: the run awaits the call itself.
        scheduleActivity: (input, next) => {
          const ended = next(input);
          const { activityId = String(input.seq), summary } = input.options;
          calls.watch({ activityId, type: input.activityType, summary }, ended);
          return ended;
        },
      },
    ],
  };
};
