// Parts of Temporal's SDK that are not for everybody. They are loaded by path, so that this works in modules of both kinds.

import { createRequire } from 'node:module';
import { join } from 'node:path';

const load = createRequire(join(process.cwd(), 'package.json'));

export const internal = load(
  '@temporalio/common/lib/internal-non-workflow',
) as typeof import('@temporalio/common/lib/internal-non-workflow');

export const common = load('@temporalio/common') as typeof import('@temporalio/common');

export const { Activity } = load(
  '@temporalio/worker/lib/activity',
) as typeof import('@temporalio/worker/lib/activity');

export const { parseWorkflowCode } = load(
  '@temporalio/worker/lib/worker',
) as typeof import('@temporalio/worker/lib/worker');

export const { ReusableVMWorkflowCreator } = load(
  '@temporalio/worker/lib/workflow/reusable-vm',
) as typeof import('@temporalio/worker/lib/workflow/reusable-vm');

export const { coresdk, temporal } = load('@temporalio/proto') as typeof import('@temporalio/proto');
