// Interceptors of runs and threads that follow their calls. A worker's note about a call that it tries again reaches the run with all calls
// that are tried again. Our bundles load this file by path.

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
