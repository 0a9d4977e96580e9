// Versions of workers, as the server tells them: which one a run is pinned to, and which ones get the work of a task queue. Pure.

import { defined } from '../base';
import type { WorkflowExecutionDescription } from '@temporalio/client';

/** A version of a worker deployment, in the terms of Temporal's Worker Versioning. */
export type WorkerVersion = { readonly deployment: string; readonly buildId: string };

/** Where the tasks of a run wait for a worker. `version`: the run is pinned to it. */
export type TaskPlace = { readonly taskQueue: string; readonly version?: WorkerVersion };

/** In the server's API: `VERSIONING_BEHAVIOR_PINNED`. */
const pinned: unknown = 1;

/** In the server's API: `WORKER_VERSIONING_MODE_VERSIONED`. */
const versioned: unknown = 2;

type Told = {
  readonly deploymentName?: string | null;
  readonly buildId?: string | null;
} | null;

export function placeOf({ taskQueue, raw }: WorkflowExecutionDescription): TaskPlace {
  const version = pinnedVersion(raw.workflowExecutionInfo?.versioningInfo);
  return { taskQueue, ...defined({ version }) };
}

type VersioningInfo = NonNullable<
  WorkflowExecutionDescription['raw']['workflowExecutionInfo']
>['versioningInfo'];

/** Somebody may have pinned the run by hand, or freed it. */
function pinnedVersion(info: VersioningInfo): WorkerVersion | undefined {
  const override = info?.versioningOverride;
  if (override?.pinned) return versionOf(override.pinned.version);
  if (override?.autoUpgrade === true) return undefined;
  return info?.behavior === pinned ? versionOf(info?.deploymentVersion) : undefined;
}

type TaskQueue = {
  readonly versioningInfo?: {
    readonly currentDeploymentVersion?: Told;
    readonly rampingDeploymentVersion?: Told;
    readonly rampingVersionPercentage?: number | null;
  } | null;
};

/** Tells whether workers of a version get the work that is pinned to no version: undefined means those without a version. */
export function versionsAtWork({
  versioningInfo: info,
}: TaskQueue): (version: WorkerVersion | undefined) => boolean {
  const atWork = [nameOf(versionOf(info?.currentDeploymentVersion))];
  const isRamping = (info?.rampingVersionPercentage ?? 0) > 0;
  if (isRamping) atWork.push(nameOf(versionOf(info?.rampingDeploymentVersion)));
  return (version) => atWork.includes(nameOf(version));
}

/** The version of a poller. Undefined if it has none, or if the server does not tell. */
export function pollerVersion({
  deploymentOptions: options,
}: {
  readonly deploymentOptions?: (Told & { readonly workerVersioningMode?: unknown }) | null;
}): WorkerVersion | undefined {
  return options?.workerVersioningMode === versioned ? versionOf(options) : undefined;
}

export function isSameVersion(
  one: WorkerVersion | undefined,
  other: WorkerVersion | undefined,
): boolean {
  return nameOf(one) === nameOf(other);
}

function versionOf(told: Told | undefined): WorkerVersion | undefined {
  if (!told?.deploymentName) return undefined;
  return { deployment: told.deploymentName, buildId: told.buildId ?? '' };
}

/** As Temporal writes it: the name of a deployment has no dot. */
function nameOf(version: WorkerVersion | undefined): string {
  return version === undefined ? '' : `${version.deployment}.${version.buildId}`;
}
