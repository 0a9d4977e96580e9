// What is said of tasks that no worker takes: because nobody polls, or because of the versions of those who do. Pure.

import { quote } from '../../base';
import type { TaskPlace, WorkerVersion } from '../../server';

/** A place whose tasks no worker takes. `idle`: the versions that poll there all the same. */
export type Unserved = TaskPlace & { readonly idle?: readonly WorkerVersion[] };

/** What is wrong, and what to do about it: a clause each. `undefined` if simply nobody polls. */
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
