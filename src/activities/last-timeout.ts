import { Context } from '@temporalio/activity';
import { timeouts } from '../protocol';

/** Values of Temporal's `TimeoutType`. */
const timeoutNames: Readonly<Record<number, string>> = {
  1: 'start-to-close timeout',
  2: 'schedule-to-start timeout',
  3: 'schedule-to-close timeout',
  4: 'heartbeat timeout',
};

/** The timeout by which the server gave up the attempt before this one. Undefined if that one failed by itself, or the server is away. */
export async function lastTimeout(): Promise<string | undefined> {
  const { client, info } = Context.current();
  try {
    const { pendingActivities } = await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
      client.workflowService.describeWorkflowExecution({
        namespace: info.namespace,
        execution: info.workflowExecution ?? null,
      }),
    );
    const own = pendingActivities?.find(({ activityId }) => activityId === info.activityId);
    const type = own?.lastFailure?.timeoutFailureInfo?.timeoutType;
    return type === undefined || type === null ? undefined : timeoutNames[type];
  } catch {
    return undefined;
  }
}
