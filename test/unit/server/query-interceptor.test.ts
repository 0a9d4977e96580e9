// Pure: no server.

import { QueryNotRegisteredError, type WorkflowQueryInput } from '@temporalio/client';
import { queryInterceptor } from '../../../src/server/query-interceptor';
import { closedRunHeader, taskComesFirst } from '../../../src/protocol/names';

const ahead = new QueryNotRegisteredError(taskComesFirst, 3);
const input = {
  workflowExecution: { workflowId: 'w' },
  headers: {},
} as unknown as WorkflowQueryInput;

type Worker = { readonly error?: Error; readonly failures: number; readonly status?: number };

/** Asks a worker that fails so many times before it answers, about a run with this status. */
async function asked({ error = ahead, failures, status = 1 }: Worker): Promise<number> {
  let times = 0;
  const next = ({ headers }: WorkflowQueryInput): Promise<number> => {
    times += 1;
    const isAnswered = times > failures || headers[closedRunHeader] !== undefined;
    return isAnswered ? Promise.resolve(times) : Promise.reject(error);
  };
  const describeWorkflowExecution = () => Promise.resolve({ workflowExecutionInfo: { status } });
  const { query } = queryInterceptor(() => ({ describeWorkflowExecution }) as never, 'default');
  return (await query?.(input, next)) as number;
}

describe('a query to a worker that has read ahead', () => {
  it('is asked again', async () => {
    expect(await asked({ failures: 2 })).toBe(3);
  });

  it('fails if the worker stays ahead', async () => {
    await expect(asked({ failures: 100 })).rejects.toBe(ahead);
  });

  it('is answered if the run is closed', async () => {
    expect(await asked({ failures: 100, status: 5 })).toBe(2);
  });

  it('is not asked again for another reason', async () => {
    const error = new QueryNotRegisteredError('no such query', 3);
    await expect(asked({ error, failures: 1 })).rejects.toBe(error);
  });
});
