import type { Longhaul } from '../../client';
import { timeouts } from '../../protocol/limits';
import {
  attributeNames,
  attributeTypes,
  isRegistered,
  readAttributes,
  type AttributeState,
} from '../../server/search-attributes';
import { toCliError } from '../cli-error';
import { liveWorkers } from '../session/live-workers';
import type { Check } from './look';
import { checkEndedRuns, checkExecutions } from './ended-runs';
import { checkOpenRuns, checkOrphans } from './open-runs';

export type ServerCheckOptions = {
  readonly longhaul: Longhaul;
  /** This folder has agents that `run` would serve. */
  readonly hasAgents: boolean;
};

/** From the server to the runs; what depends on a failed check is left out. */
export async function checkServer(options: ServerCheckOptions): Promise<readonly Check[]> {
  const { longhaul } = options;
  const server = await checked('server', () => describeServer(longhaul));
  if (server.status === 'fail') return [server];
  const namespace = await checked('namespace', () => describeNamespace(longhaul));
  if (namespace.status === 'fail') return [server, namespace];
  const rest = await Promise.all([
    checked('worker', () => checkWorker(options)),
    checked('search attributes', () => checkSearchAttributes(longhaul)),
    checkedAll('open runs', () => checkOpenRuns(longhaul.client)),
    checked('orphans', () => checkOrphans(longhaul.client)),
    checked('many executions', () => checkExecutions(longhaul.client)),
    checked('ended badly', () => checkEndedRuns(longhaul.client)),
  ]);
  return [server, namespace, ...rest.flat()];
}

async function checked(name: string, check: () => Promise<Omit<Check, 'name'>>): Promise<Check> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    return { name, status: 'fail', message: toCliError(error).message };
  }
}

/** Several checks of one look; one failed check when that fails. */
async function checkedAll(
  name: string,
  check: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await check();
  } catch (error) {
    return [{ name, status: 'fail', message: toCliError(error).message }];
  }
}

async function describeServer({ client }: Longhaul): Promise<Omit<Check, 'name'>> {
  const before = Date.now();
  const { serverVersion } = await client.withDeadline(before + timeouts.serverCheck, () =>
    client.workflowService.getSystemInfo({}),
  );
  return {
    status: 'ok',
    message: `Temporal ${serverVersion} answers in ${Date.now() - before} ms`,
  };
}

async function describeNamespace({ client }: Longhaul): Promise<Omit<Check, 'name'>> {
  const { namespace } = client.options;
  await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
    client.workflowService.describeNamespace({ namespace }),
  );
  return { status: 'ok', message: namespace };
}

async function checkWorker(options: ServerCheckOptions): Promise<Omit<Check, 'name'>> {
  const { client, taskQueue } = options.longhaul;
  const workers = await liveWorkers(client, taskQueue);
  if (workers.length > 0) {
    const list = workers.map(({ identity }) => identity).join(', ');
    return { status: 'ok', message: `${list} on task queue '${taskQueue}'` };
  }
  const message = `no worker polls task queue '${taskQueue}'`;
  if (options.hasAgents) {
    const todo =
      '`longhaul run` serves the agents of this folder by itself; `longhaul dev` keeps them up';
    return { status: 'warn', message, todo };
  }
  const todo = 'start one with `longhaul dev` or createWorker, or name its queue with --task-queue';
  return { status: 'fail', message, todo };
}

async function checkSearchAttributes({ client }: Longhaul): Promise<Omit<Check, 'name'>> {
  const { namespace } = client.options;
  const { operatorService } = client.connection;
  const states = await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
    readAttributes({ operatorService, namespace }),
  );
  const unusable = states.filter((state) => !isRegistered(state));
  if (unusable.length === 0) return { status: 'ok', message: attributeNames.join(', ') };
  return {
    status: 'warn',
    message: `${unusable.map(asWanted).join(', ')} not registered: the Web UI and the inbox cannot filter by them`,
    todo: 'register them with `longhaul setup`',
  };
}

function asWanted({ name }: AttributeState): string {
  return `${name} (${attributeTypes[name]})`;
}
