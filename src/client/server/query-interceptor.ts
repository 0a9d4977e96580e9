// Asks again if the worker that answered a query has read ahead. By then the server knows of the workflow task, and the query waits for it.

import { QueryNotRegisteredError, type WorkflowClientInterceptor } from '@temporalio/client';
import { taskComesFirst } from '../../core/stored-format';

const mostTimes = 5;

export const queryInterceptor: WorkflowClientInterceptor = {
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
    }
  },
};
