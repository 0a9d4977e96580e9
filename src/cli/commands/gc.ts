import type { Command } from 'commander';
import { defined } from '../../base';
import { UsageError } from '../exit';
import { printableLine } from '../render/text';
import { addSpecFlags, type AgentsFlags, loadAgents, requireAgentsSource } from '../session/agents';
import { addServerCommand } from '../session/connection';
import { loadClient } from '../session/load-parts';
import type { CommandContext } from '../session/parse-options';

type GcFlags = AgentsFlags & { readonly closedFor?: string; readonly dryRun?: true };

export function addGcCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('gc')
    .summary('delete unused contents of the result store')
    .description(
      "Deletes what runs kept in the result store of the worker's options, if the server no longer knows them. Never deletes contents of open runs, of conversations in a memory store, or of scopes written to within a day.",
    )
    .option('--agents <file>', 'module with `results` (default: longhaul.config.*)')
    .option('--closed-for <duration>', 'also those of runs that closed so long ago, as in 30d')
    .option('--dry-run', 'only say what would be deleted');
  addServerCommand(addSpecFlags(command), context, async (flags: GcFlags) => {
    const { closedFor, dryRun = false } = flags;
    const { options } = await loadAgents(requireAgentsSource(process.cwd(), flags));
    const { results, stores } = options;
    if (results === undefined)
      throw new UsageError("the worker's options have no `results`: there is no store to clean");
    return async ({ client }) => {
      const garbage = { results, dryRun, ...defined({ stores, closedFor }) };
      const report = await loadClient().collectGarbage(client, garbage);
      const { workflowIds, deleted, kept } = report;
      const runs = `${workflowIds.length} runs and threads; ${kept} stay`;
      const summary = dryRun
        ? `would delete the contents of ${runs}`
        : `deleted ${deleted} contents of ${runs}`;
      return { json: report, lines: [...workflowIds.map(printableLine), summary] };
    };
  });
}
