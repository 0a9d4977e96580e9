// How often a worker asks runs for something: for their log, when its own copy is not there, or for their definition.
import type { NativeConnection } from '@temporalio/worker';

type Request = { readonly query?: { readonly queryType?: string | null } | null };

/** Counts the queries of this type that go over this connection from now on. */
export function countQueries({ workflowService }: NativeConnection, type: string): () => number {
  const query = workflowService.queryWorkflow.bind(workflowService) as (
    request: Request,
  ) => unknown;
  let count = 0;
  Object.assign(workflowService, {
    queryWorkflow: (request: Request) => {
      if (request.query?.queryType === type) count += 1;
      return query(request);
    },
  });
  return () => count;
}
