import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Longhaul, MigrateOptions, RunHandle } from '../../client';
import { defined } from '../../base/json';
import { quote } from '../../base/problem';
import type { MigrateReply } from '../../protocol/run';
import type { RunnerSpec } from '../../protocol/spec';
import { UsageError } from '../exit';
import { addActorFlag } from '../session/actor';
import { requireAgentsSource, loadAgents } from '../session/agents';
import {
  addConnectionFlags,
  type Answer,
  askServer,
  type ConnectionFlags,
} from '../session/connection';
import { checkNeeds, collect, type CommandContext } from '../session/parse-options';

type MigrateFlags = ConnectionFlags & {
  readonly to: string;
  readonly tools?: string;
  readonly overlay?: readonly string[];
  readonly note?: string;
  readonly json?: true;
};

export function addMigrateCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('migrate')
    .summary('move a waiting run to a corrected definition')
    .description(
      'Moves a run of an agent that waits for an answer to another definition of this agent, if its open calls fit it. ' +
        'Otherwise it says why not, and the run stays as it is.',
    )
    .argument('<workflowId>', 'the run; may be a child run')
    .requiredOption(
      '--to <id or path>',
      "the agent's id, for the definition that the workers have now; or a file or folder of specs",
    )
    .option('--tools <file>', 'with a path: the module with the code that the specs name')
    .option(
      '--overlay <name>',
      'with a path: changes of the specs for an environment; may be repeated',
      collect,
    )
    .option('--note <text>', 'a remark for the audit; the model does not see it')
    .option('--json', 'print JSON');
  addActorFlag(addConnectionFlags(command)).action(
    async (workflowId: string, flags: MigrateFlags) => {
      const ask = async (longhaul: Longhaul): Promise<Answer> => {
        const run = longhaul.run(workflowId);
        const reply = await migrate(run, flags);
        return { lines: [lineOf(workflowId, reply)], json: { workflowId, ...reply } };
      };
      finish(await askServer(flags, terminal, ask));
    },
  );
}

async function migrate(run: RunHandle, flags: MigrateFlags): Promise<MigrateReply> {
  const { to, note } = flags;
  const options: MigrateOptions = defined({ note });
  if (statSync(resolve(to), { throwIfNoEntry: false }) === undefined) {
    const needed = `specs, and there is no file or folder ${quote(to)}`;
    checkNeeds(flags, ['tools', 'overlay'], needed);
    return await run.migrate(to, options);
  }
  const { runner } = await run.state();
  return await run.migrateSpec(await specAt(runner, flags), options);
}

async function specAt(id: string, { to, tools, overlay }: MigrateFlags): Promise<RunnerSpec> {
  const flags = { file: [to], ...defined({ tools, overlay }) };
  const source = requireAgentsSource(process.cwd(), flags);
  const { registry } = await loadAgents(source, { stubs: true });
  const spec = registry.runners.get(id)?.spec;
  if (spec !== undefined) return spec;
  const known = registry.runners.names().map(quote).join(', ');
  throw new UsageError(`--to: ${quote(to)} has no agent ${quote(id)}; it has ${known || 'none'}`);
}

function lineOf(workflowId: string, { from, to }: MigrateReply): string {
  return from === to
    ? `${workflowId} has this definition already (${to}): nothing changed`
    : `moved ${workflowId} from definition ${from} to ${to}`;
}
