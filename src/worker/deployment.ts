// The version of a worker for Temporal's Worker Versioning: its name, its build id, and where runs go when another version is current.
//
// 1. The default build id depends on nothing but this package and what runs pin: equal workers have equal ids in all processes.
// 2. The id does not depend on code. After a change of a tool's code alone, the user must give another id.

import { createHash } from 'node:crypto';
import type { WorkerOptions } from '@temporalio/worker';
import { z } from 'zod';
import { canonicalJson } from '../base';
import { hashDefinition, type Registry, specError } from '../define';
import { packageVersion } from '../server/machine';

/** The worker's version, in the terms of Temporal's Worker Versioning. */
export type WorkerDeployment = {
  /** The name of the worker deployment: all versions of these workers share it. */
  readonly name: string;
  /** Default: made of Longhaul's version and of what the worker's runs pin. It does not see the code of tools. */
  readonly buildId?: string;
  /** `AUTO_UPGRADE`: open runs move to the version that is current. `PINNED`: they stay with the version they began on. Default `AUTO_UPGRADE`. */
  readonly behavior?: 'AUTO_UPGRADE' | 'PINNED';
};

const hashLength = 12;

/** The schema of the option. It refuses names that the server takes silently but never registers. */
export const workerDeployment = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/)
    .meta({
      expected: "1 to 200 letters, digits, '_' or '-', starting with a letter or digit",
    }),
  buildId: z
    .string()
    .regex(/^(?!__)[!-~]{1,255}$/)
    .meta({ expected: "1 to 255 ASCII characters without spaces, not starting with '__'" })
    .exactOptional(),
  behavior: z.enum(['AUTO_UPGRADE', 'PINNED']).exactOptional(),
} satisfies Record<keyof WorkerDeployment, z.ZodType>);

const ofTemporal = ['workerDeploymentOptions', 'buildId', 'useVersioning'] as const;

/** Refuses a version that is given twice: as Longhaul's option and as Temporal's. */
export function checkGivenOnce(
  deployment: WorkerDeployment | undefined,
  options: Partial<WorkerOptions> | undefined,
): void {
  const other = ofTemporal.find((name) => options?.[name] !== undefined);
  if (deployment === undefined || other === undefined) return;
  const message = `cannot be used with ${other} of Temporal's worker: leave one of the two out`;
  throw specError('The worker', [{ path: 'workerDeployment', message }]);
}

/** Temporal's options for this version. */
export function deploymentOptions(
  { name, buildId, behavior = 'AUTO_UPGRADE' }: WorkerDeployment,
  registry: Registry,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  return {
    workerDeploymentOptions: {
      version: { deploymentName: name, buildId: buildId ?? ownBuildId(registry) },
      useWorkerVersioning: true,
      defaultVersioningBehavior: behavior,
    },
  };
}

/** A build id such as `0.2.0-3f9ac1d20b7e`. It changes with the version of Longhaul, with a definition, and with the schema of a tool. */
function ownBuildId(registry: Registry): string {
  const { runners, tools, callbacks, criteria, mcpServers } = registry;
  const known = {
    runners: byName(runners.names(), (id) => hashDefinition(registry.definition(id))),
    tools: byName(tools.names(), (name) => tools.get(name)?.spec),
    callbacks: byName(callbacks.names(), (name) => callbacks.get(name)?.spec),
    criteria: [...criteria.names()].sort(),
    mcpServers: [...mcpServers.names()].sort(),
  };
  const hash = createHash('sha256').update(canonicalJson(known)).digest('hex');
  return `${packageVersion()}-${hash.slice(0, hashLength)}`;
}

function byName(names: readonly string[], valueOf: (name: string) => unknown): object {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}
