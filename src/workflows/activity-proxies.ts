// The workflows' activities, with their timeouts, their retries and the summaries that the Web UI shows.

import {
  ActivityCancellationType,
  proxyActivities,
  scheduleActivity,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { RetryPolicy } from '@temporalio/common';
import { clipText, defined, type JsonObject, oneLine } from '../base';
import { plainLine } from '../core/transcript/markdown';
import {
  type ActivityToolSpec,
  limits,
  type LonghaulActivities,
  timeouts,
  type ToolConfig,
} from '../protocol';

/** A payload that is too large stays too large, so the call is not retried. */
const nonRetryableErrorTypes = ['PayloadsTooLarge'];

/** `isAwaited`: after a cancellation, the run waits for the end of the call. */
export function modelActivities(
  summary: string,
  isAwaited: boolean,
): Pick<LonghaulActivities, 'callModel'> {
  return proxyActivities<LonghaulActivities>({
    ...(isAwaited && { cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED }),
    startToCloseTimeout: timeouts.modelStartToClose,
    scheduleToCloseTimeout: timeouts.modelScheduleToClose,
    heartbeatTimeout: timeouts.modelHeartbeat,
    retry: {
      initialInterval: 1_000,
      backoffCoefficient: 2,
      maximumInterval: 60_000,
      nonRetryableErrorTypes,
    },
    summary: clipText(oneLine(summary, limits.summary), limits.summary),
  });
}

/** `isElsewhere`: this run's worker lacks the tool, so the server must not hand the call straight back to it. */
export function toolActivities(
  tool: ToolConfig,
  summary: string,
  isElsewhere: boolean,
): Pick<LonghaulActivities, 'callTool'> {
  return proxyActivities<LonghaulActivities>({
    ...toolOptions(tool, summary),
    ...(isElsewhere && { allowEagerDispatch: false }),
    heartbeatTimeout: timeouts.toolHeartbeat,
  });
}

/** The user's own activity. It may never heartbeat. */
export function foreignActivity(
  tool: ToolConfig,
  { type, taskQueue, heartbeatTimeoutMs }: ActivityToolSpec,
  summary: string,
): (args: JsonObject) => Promise<unknown> {
  const options: ActivityOptions = {
    ...toolOptions(tool, summary),
    ...defined({ taskQueue, heartbeatTimeout: heartbeatTimeoutMs }),
  };
  return (args) => scheduleActivity(type, [args], options);
}

function toolOptions(tool: ToolConfig, summary: string): ActivityOptions {
  const startToClose = tool.timeoutMs ?? timeouts.toolStartToClose;
  return {
    startToCloseTimeout: startToClose,
    scheduleToCloseTimeout: Math.max(timeouts.toolScheduleToClose, startToClose),
    retry: { ...retryOf(tool), nonRetryableErrorTypes },
    summary: oneLine(summary, limits.summary),
  };
}

/** The interval between attempts grows to a minute. A first interval of more than a minute does not grow. */
function retryOf({ effect, retry = {} }: ToolConfig): RetryPolicy {
  const { initialIntervalMs = 1_000, maximumIntervalMs = 60_000 } = retry;
  return {
    initialInterval: initialIntervalMs,
    backoffCoefficient: retry.backoffCoefficient ?? 2,
    maximumInterval: Math.max(initialIntervalMs, maximumIntervalMs),
    maximumAttempts: effect === 'once' ? 1 : (retry.maximumAttempts ?? limits.toolAttempts),
  };
}

/** For activities that run beside a call that the run schedules itself. */
const besideCall: ActivityOptions = {
  startToCloseTimeout: timeouts.toolStartToClose,
  scheduleToCloseTimeout: timeouts.toolScheduleToClose,
  heartbeatTimeout: timeouts.toolHeartbeat,
  retry: { initialInterval: 500, maximumInterval: 10_000, nonRetryableErrorTypes },
};

export const checkActivities = proxyActivities<Pick<LonghaulActivities, 'checkArguments'>>({
  ...besideCall,
  summary: 'check the changed arguments',
});

/** For the functions of a tool that decide who may approve a call, and what these people see. */
export function reviewActivities(summary: string): Pick<LonghaulActivities, 'reviewCall'> {
  return proxyActivities<LonghaulActivities>({
    ...besideCall,
    summary: oneLine(summary, limits.summary),
  });
}

export function hookActivities(summary: string): Pick<LonghaulActivities, 'runToolHooks'> {
  return proxyActivities<LonghaulActivities>({
    ...besideCall,
    scheduleToCloseTimeout: timeouts.modelScheduleToClose,
    summary: oneLine(summary, limits.summary),
  });
}

/**
 * This is not a local activity. While a local activity is open, a replay finds an update in another order than history recorded it. That
 * wedges the run (docs/adr/0005).
 */
export const loadingActivities = proxyActivities<Pick<LonghaulActivities, 'loadDefinition'>>({
  startToCloseTimeout: 20_000,
  heartbeatTimeout: timeouts.modelHeartbeat,
  retry: { initialInterval: 500, maximumInterval: 10_000, nonRetryableErrorTypes },
  summary: 'load the definition',
});

/** Temporal retries this for a minute, so that another worker of a rolling deploy can answer. */
export const definitionActivities = proxyActivities<LonghaulActivities>({
  startToCloseTimeout: 20_000,
  scheduleToCloseTimeout: timeouts.definitionSearch,
  heartbeatTimeout: timeouts.modelHeartbeat,
  retry: { initialInterval: 500, backoffCoefficient: 1.5, maximumInterval: 5_000 },
  summary: 'find the definition on another worker',
});

/**
 * It is retried for as long as the store is down, because the thread answers nothing without its turns. It finds the thread's runner as a
 * run does.
 */
export const openingActivities = proxyActivities<Pick<LonghaulActivities, 'openThread'>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: timeouts.toolHeartbeat,
  retry: { initialInterval: 500, maximumInterval: '1 minute', nonRetryableErrorTypes },
  summary: 'open the thread',
});

/** A model call. The next one, or the next message of a thread, waits for it. */
export const summarisingActivities = proxyActivities<Pick<LonghaulActivities, 'summarise'>>({
  startToCloseTimeout: timeouts.compaction,
  scheduleToCloseTimeout: timeouts.compaction,
  heartbeatTimeout: timeouts.modelHeartbeat,
  retry: { initialInterval: 1_000, maximumInterval: 60_000, nonRetryableErrorTypes },
  summary: 'summarise the older turns',
});

/**
 * The hook gets each notice at least once, unless it fails for a day. Nothing waits for the activity, so nothing cancels it: the end of the
 * run ends it.
 */
export function noticeActivities(summary: string): Pick<LonghaulActivities, 'notifyPause'> {
  return proxyActivities<LonghaulActivities>({
    startToCloseTimeout: timeouts.notice,
    scheduleToCloseTimeout: timeouts.allNotices,
    cancellationType: ActivityCancellationType.ABANDON,
    retry: { initialInterval: 1_000, maximumInterval: 5 * 60_000, nonRetryableErrorTypes },
    summary: plainLine(summary, limits.summary),
  });
}

/** The sender of the answer waits for it. */
export const signatureActivities = proxyActivities<Pick<LonghaulActivities, 'checkSignature'>>({
  startToCloseTimeout: timeouts.signature / 2,
  scheduleToCloseTimeout: timeouts.signature,
  retry: { initialInterval: 500, maximumInterval: 5_000, nonRetryableErrorTypes },
  summary: 'check the signature of an answer',
});

/** A worker may have to download the program of an MCP server before it can run it. */
export const listingActivities = proxyActivities<LonghaulActivities>({
  startToCloseTimeout: timeouts.mcpListing / 2,
  scheduleToCloseTimeout: timeouts.mcpListing,
  heartbeatTimeout: timeouts.toolHeartbeat,
  retry: { initialInterval: 500, backoffCoefficient: 1.5, maximumInterval: 5_000 },
  summary: 'list the tools of MCP servers',
});

export const controlActivities = proxyActivities<LonghaulActivities>({
  startToCloseTimeout: 60_000,
  scheduleToCloseTimeout: timeouts.store,
  heartbeatTimeout: timeouts.modelHeartbeat,
  retry: { initialInterval: 500, maximumInterval: 10_000, nonRetryableErrorTypes },
});
