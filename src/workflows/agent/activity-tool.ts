// Arguments of tools that are activities of the user's own: those that do not match the schema never reach them. The worker that made
// the model turn has checked them; a call that a person or a repair changed since is checked before it runs.

import type { CheckArgumentsInput, CheckArgumentsResult } from '../../protocol/activities';
import type { PendingToolCall } from '../../protocol/agent-run';
import { checkActivities } from '../activity-proxies';
import type { RunLog } from '../execution/run-log';
import type { TaskRoom } from '../execution/task-room';

export async function checkActivityArguments(
  definition: CheckArgumentsInput['definition'],
  { call }: PendingToolCall,
  room: TaskRoom,
): Promise<CheckArgumentsResult> {
  const input = { definition, tool: call.name, args: call.args ?? {} };
  await room.enter(input);
  return await checkActivities.checkArguments(input);
}

/** What was found about this call beside the model call; undefined where it is not as the model made it. */
export function checkedArguments(
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
  const found = turn.checks?.argumentProblems?.find((answer) => answer.index === index);
  return found === undefined ? {} : { problem: found.text };
}
