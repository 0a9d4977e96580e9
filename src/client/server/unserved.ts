// Explains why no worker takes a task: nobody polls its queue, or only workers of other versions do. Pure.

import { quote } from '../../base';
import type { TaskPlace, WorkerVersion } from '../../server';

/** A place where no worker takes the tasks. `idle` lists the versions that poll there, but do not take these tasks. */
export type Unserved = TaskPlace & { readonly idle?: readonly WorkerVersion[] };

/** The problem and the advice, a clause each. Undefined if simply nobody polls. */
export function explainVersions(
  { taskQueue, version, idle = [] }: Unserved,
  workflowId?: string,
): { readonly reason: string; readonly todo: string } | undefined {
  const queue = `task queue '${taskQueue}'`;
  if (version !== undefined && workflowId !== undefined)
    return {
      reason: `it is pinned to version ${quote(version.buildId)} of deployment ${quote(version.deployment)}, and no worker of that version polls ${queue}`,
      todo: `start one, or move the run: \`temporal workflow update-options --workflow-id ${workflowId} --versioning-override-behavior auto_upgrade\``,
    };
  const [first] = idle;
  if (first === undefined) return undefined;
  const names = idle.map(({ buildId }) => quote(buildId)).join(', ');
  return {
    reason: `workers of version ${names} of deployment ${quote(first.deployment)} poll ${queue}, but none of these versions is current`,
    todo: `make one current: \`temporal worker deployment set-current-version --deployment-name ${first.deployment} --build-id ${first.buildId}\``,
  };
}
