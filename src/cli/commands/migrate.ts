import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { RunHandle } from '../../client';
import { defined, quote } from '../../base';
import type { MigrateReply } from '../../protocol';
import { UsageError } from '../exit';
import { addActorFlag } from '../session/actor';
import { requireAgentsSource, loadAgents } from '../session/agents';
import { addServerCommand } from '../session/connection';
import { checkNeeds, collect, type CommandContext } from '../session/parse-options';

type MigrateFlags = {
  readonly to: string;
  readonly tools?: string;
  readonly overlay?: readonly string[];
  readonly note?: string;
};

export function addMigrateCommand(program: Command, context: CommandContext): void {
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
    .option('--note <text>', 'a remark for the audit; the model does not see it');
  addServerCommand(
    addActorFlag(command),
    context,
    (workflowId: string, flags: MigrateFlags) => async (longhaul) => {
      const reply = await migrate(longhaul.run(workflowId), flags);
      const { from, to } = reply;
      const line =
        from === to
          ? `${workflowId} has this definition already (${to}): nothing changed`
          : `moved ${workflowId} from definition ${from} to ${to}`;
      return { lines: [line], json: { workflowId, ...reply } };
    },
  );
}

async function migrate(run: RunHandle, flags: MigrateFlags): Promise<MigrateReply> {
  const { to, tools, overlay, note } = flags;
  const remark = defined({ note });
  if (statSync(resolve(to), { throwIfNoEntry: false }) === undefined) {
    const needed = `specs, and there is no file or folder ${quote(to)}`;
    checkNeeds(flags, ['tools', 'overlay'], needed);
    return await run.migrate(to, remark);
  }
  const { runner: id } = await run.state();
  const source = requireAgentsSource(process.cwd(), { file: [to], ...defined({ tools, overlay }) });
  const { registry } = await loadAgents(source, { stubs: true });
  const spec = registry.runners.get(id)?.spec;
  if (spec !== undefined) return await run.migrateSpec(spec, remark);
  const known = registry.runners.names().map(quote).join(', ');
  throw new UsageError(`--to: ${quote(to)} has no agent ${quote(id)}; it has ${known || 'none'}`);
}
