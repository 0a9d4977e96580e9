import { loadClient } from '../session/load-parts';
import type { Command } from 'commander';
import {
  addSpecFlags,
  type AgentsFlags,
  findAgentsSource,
  loadAgents,
  type LoadedAgents,
  sourceName,
} from '../session/agents';
import { exitCodes, toCliError } from '../exit';
import type { CommandContext } from '../session/parse-options';
import {
  addConnectionFlags,
  addTaskQueueFlag,
  type Answer,
  askServer,
  type ConnectionFlags,
  openLonghaul,
} from '../session/connection';
import type { Check } from '../doctor/look';
import {
  checkNode,
  checkProtobufjs,
  checkProviderKeys,
  checkTemporalSdk,
  checkWindows,
} from '../doctor/machine-checks';
import { checkSearchAttributes, fixAttributes } from '../doctor/search-attributes';
import { padToWidth, printableJson, printableLine, type Style } from '../render/text';
import type { Longhaul } from '../../client';

import { timeouts } from '../../protocol';
import { liveWorkers } from '../session/read-run';
import { checkEndedRuns, checkExecutions, checkOpenRuns, checkOrphans } from '../doctor/run-checks';

type DoctorFlags = ConnectionFlags & AgentsFlags & { readonly fix?: true };

const nameWidth = 18;

const looks = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

export function addDoctorCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('doctor')
    .summary('check server, worker and this machine')
    .description(
      'Checks what runs need: the server, the namespace, a worker, provider keys, Node and the SDK. Also lists runs that are stuck or ended badly. Exits 1 if anything fails.',
    )
    .option(
      '--fix',
      'only register the missing search attributes, so that the server can filter runs; exits 1 if one has another type',
    )
    .option('--agents <file>', 'agents to check (default: longhaul.config.*)')
    .option('--json', 'print JSON');
  addTaskQueueFlag(addConnectionFlags(addSpecFlags(command))).action(async (flags: DoctorFlags) => {
    if (flags.fix === true) {
      const fix = (longhaul: Longhaul): Promise<Answer> => fixAttributes(longhaul, terminal.style);
      finish(await askServer(flags, terminal, fix));
      return;
    }
    const checks = await diagnose(flags);
    const ok = !hasFailed(checks);
    if (flags.json === true) terminal.print(printableJson({ ok, checks }));
    else for (const line of renderChecks(checks, terminal.style)) terminal.print(line);
    finish(ok ? exitCodes.done : exitCodes.failed);
  });
}

export function renderChecks(checks: readonly Check[], style: Style): readonly string[] {
  return checks.flatMap(({ name, status, message, todo }) => {
    const head = style[looks[status]](status.padEnd(6));
    const line = `${head}${padToWidth(name, nameWidth)}${printableLine(message)}`;
    return todo === undefined ? [line] : [line, `${' '.repeat(6 + nameWidth)}→ ${todo}`];
  });
}

function hasFailed(checks: readonly Check[]): boolean {
  return checks.some(({ status }) => status === 'fail');
}

async function diagnose(flags: DoctorFlags): Promise<readonly Check[]> {
  const { check, agents } = await checkAgents(flags);
  return [
    ...(await checkConnection(flags, agents)),
    ...check,
    checkProviderKeys(process.env, agents),
    ...(agents === undefined ? [] : checkWindows(agents)),
    checkNode(process.version),
    checkTemporalSdk(),
    checkProtobufjs(),
  ];
}

async function checkConnection(
  flags: DoctorFlags,
  agents: LoadedAgents | undefined,
): Promise<readonly Check[]> {
  try {
    const longhaul = await openLonghaul(flags, agents?.options);
    const checks = await checkServer({ longhaul, hasAgents: agents !== undefined });
    await longhaul.close();
    return checks;
  } catch (error) {
    const { message, details } = toCliError(error);
    const name = 'namespace' in details ? 'namespace' : 'server';
    return [{ name, status: 'fail', message }];
  }
}

export async function checkAgents(
  flags: AgentsFlags,
): Promise<{ check: readonly Check[]; agents: LoadedAgents | undefined }> {
  const name = 'agents';
  try {
    const source = findAgentsSource(process.cwd(), flags);
    if (source === undefined) return { check: [], agents: undefined };
    const agents = await loadAgents(source);
    const where = source.kind === 'module' ? source.file : sourceName(source);
    const message = `${agents.registry.runners.names().join(', ') || 'none'} (${where})`;
    return { check: [{ name, status: 'ok', message }], agents };
  } catch (error) {
    const message = toCliError(error).message;
    return { check: [{ name, status: 'fail', message }], agents: undefined };
  }
}

type ServerCheckOptions = {
  readonly longhaul: Longhaul;
  /** Whether this folder has agents that `run` would serve. */
  readonly hasAgents: boolean;
};

/** Checks the server first and the runs last. Leaves out checks that depend on a failed one. */
async function checkServer(options: ServerCheckOptions): Promise<readonly Check[]> {
  const { longhaul } = options;
  const { client } = longhaul;
  const server = await checked('server', () => describeServer(longhaul));
  if (hasFailed(server)) return server;
  const namespace = await checked('namespace', () => describeNamespace(longhaul));
  if (hasFailed(namespace)) return [...server, ...namespace];
  const rest = await Promise.all([
    checked('worker', () => checkWorker(options)),
    checked('search attributes', () => checkSearchAttributes(longhaul)),
    checkedAll('open runs', () => checkOpenRuns(client)),
    checked('orphans', () => checkOrphans(client)),
    checked('many executions', () => checkExecutions(client)),
    checked('ended badly', () => checkEndedRuns(client)),
  ]);
  return [...server, ...namespace, ...rest.flat()];
}

async function checked(
  name: string,
  check: () => Promise<Omit<Check, 'name'>>,
): Promise<readonly Check[]> {
  return await checkedAll(name, async () => [{ name, ...(await check()) }]);
}

/** Several checks from one look. If the look fails, it gives one failed check. */
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
  const idle = workers.flatMap(({ version }) => version ?? []);
  const versions = loadClient().explainVersions({ taskQueue, idle });
  if (versions !== undefined && !workers.some(({ isAtWork }) => isAtWork))
    return { status: 'fail', message: versions.reason, todo: versions.todo };
  if (workers.length > 0) {
    const list = workers
      .map(({ identity, version }) => identity + (version ? ` (version ${version.buildId})` : ''))
      .join(', ');
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
