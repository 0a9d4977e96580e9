// Parts of Temporal's SDK that are not for everybody. They are loaded by path, so that this works in modules of both kinds.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Common from '@temporalio/common';
import type * as Internal from '@temporalio/common/lib/internal-non-workflow';
import type * as Proto from '@temporalio/proto';
import type * as Activities from '@temporalio/worker/lib/activity';
import type * as Workers from '@temporalio/worker/lib/worker';
import type * as Sandboxes from '@temporalio/worker/lib/workflow/reusable-vm';

const load = createRequire(join(process.cwd(), 'package.json'));

export const internal = load('@temporalio/common/lib/internal-non-workflow') as typeof Internal;

export const common = load('@temporalio/common') as typeof Common;

export const { Activity } = load('@temporalio/worker/lib/activity') as typeof Activities;

export const { parseWorkflowCode } = load('@temporalio/worker/lib/worker') as typeof Workers;

export const { ReusableVMWorkflowCreator } = load(
  '@temporalio/worker/lib/workflow/reusable-vm',
) as typeof Sandboxes;

export const { coresdk, temporal } = load('@temporalio/proto') as typeof Proto;
