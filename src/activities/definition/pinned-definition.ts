import { Context } from '@temporalio/activity';
import { queryNames } from '../../protocol/names';
import type { Definition, DefinitionRef } from '../../protocol/spec';
import { askRun } from '../log/read-log';
import type { DefinitionCache } from './definition-cache';

/** The definition a call belongs to: from this process, else asked of the root run that pinned it. */
export async function pinnedDefinition(
  { definitions }: { readonly definitions: DefinitionCache },
  ref: DefinitionRef,
): Promise<Definition> {
  return await definitions.get(ref, async () => {
    const root = ref.root ?? ownWorkflowId();
    const answer = await askRun<{ readonly definition?: Definition } | null | undefined>(
      { workflowId: root },
      queryNames.definition,
    );
    return answer?.definition;
  });
}

/** The run that scheduled the current activity. Only workflows schedule ours. */
export function ownWorkflowId(): string {
  const { workflowExecution } = Context.current().info;
  if (workflowExecution === undefined)
    throw new TypeError('Longhaul activities are called by workflows');
  return workflowExecution.workflowId;
}
