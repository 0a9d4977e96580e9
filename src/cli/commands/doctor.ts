import type { Command } from 'commander';
import { loadAgents, type LoadedAgents } from '../session/agents-file';
import {
  addSpecFlags,
  findAgentsSource,
  sourceName,
  type AgentsFlags,
} from '../session/agents-source';
import { toCliError } from '../cli-error';
import type { CommandContext } from '../session/command-context';
import {
  addConnectionFlags,
  addTaskQueueFlag,
  encodingOf,
  openLonghaul,
  type ConnectionFlags,
} from '../session/connection';
import type { Check } from '../doctor/look';
import {
  checkNode,
  checkProtobufjs,
  checkProviderKeys,
  checkTemporalSdk,
} from '../doctor/machine-checks';
import { checkServer } from '../doctor/server-checks';
import { exitCodes } from '../exit-codes';
import { printableJson, printableLine } from '../render/printable';
import type { Style } from '../render/style';
import { padToWidth } from '../render/table';

type DoctorFlags = ConnectionFlags & AgentsFlags & { readonly json?: true };

const nameWidth = 18;
const looks = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

export function addDoctorCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('doctor')
    .summary('check server, worker and this machine')
    .description(
      'Checks what runs need: the server, the namespace, a worker, provider keys, Node and the SDK. Also lists runs that are stuck or ended badly. Exits 1 if anything fails.',
    )
    .option('--agents <file>', 'agents to check (default: longhaul.config.*)')
    .option('--json', 'print JSON');
  addTaskQueueFlag(addConnectionFlags(addSpecFlags(command))).action(async (flags: DoctorFlags) => {
    const checks = await diagnose(flags);
    const ok = checks.every(({ status }) => status !== 'fail');
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

async function diagnose(flags: DoctorFlags): Promise<readonly Check[]> {
  const machine = [checkNode(process.version), checkTemporalSdk(), checkProtobufjs()];
  const { check, agents } = await checkAgents(flags);
  const keys = checkProviderKeys(process.env, agents);
  const server = await checkConnection(flags, agents);
  return [...server, ...check, keys, ...machine];
}

async function checkConnection(
  flags: DoctorFlags,
  agents: LoadedAgents | undefined,
): Promise<readonly Check[]> {
  try {
    const taskQueue = flags.taskQueue ?? agents?.options.taskQueue;
    const longhaul = await openLonghaul(flags, {
      ...(taskQueue !== undefined && { taskQueue }),
      ...encodingOf(agents?.options ?? {}),
    });
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
