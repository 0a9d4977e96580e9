// Repeats a query if the worker that answered it has read ahead. The server then knows of the workflow task, and the query waits for it.
//
// 1. A closed run gets no more workflow tasks, so the worker answers at once.

import {
  defaultPayloadConverter,
  QueryNotRegisteredError,
  type WorkflowClientInterceptor,
  type WorkflowQueryInput,
  type WorkflowService,
} from '@temporalio/client';
import { closedRunHeader, taskComesFirst } from '../protocol';

const mostTimes = 5;

/** `running` is the number of the status in Temporal's API. */
const running = 1;

/** `service`: that of the client whose queries these are. */
export function queryInterceptor(
  service: () => Pick<WorkflowService, 'describeWorkflowExecution'>,
  namespace: string,
): WorkflowClientInterceptor {
  const isClosed = async ({ workflowExecution }: WorkflowQueryInput): Promise<boolean> => {
    const { workflowId = '', runId = '' } = workflowExecution;
    const execution = { workflowId, runId };
    const found = await service().describeWorkflowExecution({ namespace, execution });
    return Number(found.workflowExecutionInfo?.status) !== running;
  };
  return {
    query: async (input, next) => {
      for (let time = 1; ; time += 1) {
        try {
          return await next(input);
        } catch (error) {
          // The SDK throws this error for every query that fails.
          const isAhead =
            error instanceof QueryNotRegisteredError && error.message.includes(taskComesFirst);
          if (!isAhead || time === mostTimes) throw error;
        }
        if (await isClosed(input)) {
          const headers = { ...input.headers, [closedRunHeader]: isTrue };
          return await next({ ...input, headers });
        }
      }
    },
  };
}

const isTrue = defaultPayloadConverter.toPayload(true);
