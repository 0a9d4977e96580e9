// Calls of tools that are activities of the user's own: the run schedules them itself, so what our own activity does for other
// tools happens here.
//
// 1. Arguments that do not match the schema never reach the activity. The worker that made the model turn has checked them; a call
//    that a person or a repair changed since is checked before it runs.
// 2. The result is checked and cut before it enters the log.

import type { PendingToolCall } from '../protocol/agent-run';
import type { CheckArgumentsResult, ToolFacts } from '../protocol/activities';
import type { ActivityToolSpec } from '../protocol/spec';
import { errorOutput, toToolOutput, type ToolOutput } from '../core/tool-output';
import { checkActivities, foreignActivity } from './activity-proxies';
import type { RunLog } from './run-log';
import type { ToolCallContext } from './tool-input';

export type ActivityToolCall = {
  readonly tool: ToolFacts;
  readonly activity: ActivityToolSpec;
  readonly pending: PendingToolCall;
  readonly summary: string;
  readonly definition: ToolCallContext['definition'];
  readonly judged: CheckArgumentsResult | undefined;
};

export async function callActivityTool({
  tool,
  activity,
  pending,
  summary,
  definition,
  judged,
}: ActivityToolCall): Promise<ToolOutput> {
  const args = pending.call.args ?? {};
  const check =
    judged ?? (await checkActivities.checkArguments({ definition, tool: tool.name, args }));
  if (check.problem !== undefined) return errorOutput(check.problem);
  const result = await foreignActivity(tool, activity, summary)(args);
  return toToolOutput(tool.name, result);
}

/** What was found about this call beside the model call; undefined where it is not as the model made it. */
export function judgedArguments(
  { call }: PendingToolCall,
  log: RunLog,
): CheckArgumentsResult | undefined {
  const turn = log.entries.findLast((entry) => entry.kind === 'model-turn');
  if (turn?.kind !== 'model-turn') return undefined;
  const args = JSON.stringify(call.args);
  const index = turn.content
    .filter((part) => part.type === 'tool_call')
    .findIndex((made) => made.name === call.name && JSON.stringify(made.args) === args);
  if (index < 0) return undefined;
  const found = turn.verdicts?.argumentProblems?.find((answer) => answer.index === index);
  return found === undefined ? {} : { problem: found.text };
}
