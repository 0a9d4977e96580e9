import type { Command } from 'commander';
import { addSpecFlags, type AgentsFlags, loadAgents, requireAgentsSource } from '../session/agents';
import { UsageError } from '../exit';
import type { CommandContext } from '../session/parse-options';
import {
  addConnectionFlags,
  type Answer,
  type ConnectionFlags,
  openLonghaul,
  printAnswer,
} from '../session/connection';
import { loadClient } from '../session/load-parts';
import { printableLine } from '../render/text';

type GcFlags = ConnectionFlags &
  AgentsFlags & { readonly closedFor?: string; readonly dryRun?: boolean; readonly json?: true };

export function addGcCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('gc')
    .summary('delete unused contents of the result store')
    .description(
      "Deletes what runs kept in the result store of the worker's options, if the server no longer knows them. Never deletes contents of open runs, of conversations in a memory store, or of scopes written to within a day.",
    )
    .option('--agents <file>', 'module with `results` (default: longhaul.config.*)')
    .option('--closed-for <duration>', 'also those of runs that closed so long ago, as in 30d')
    .option('--dry-run', 'only say what would be deleted')
    .option('--json', 'print JSON');
  addConnectionFlags(addSpecFlags(command)).action(async (flags: GcFlags) => {
    finish(printAnswer(await collect(flags), flags, terminal));
  });
}

async function collect({ closedFor, dryRun = false, ...flags }: GcFlags): Promise<Answer> {
  const { options } = await loadAgents(requireAgentsSource(process.cwd(), flags));
  const { results, stores } = options;
  if (results === undefined)
    throw new UsageError("the worker's options have no `results`: there is no store to clean");
  const longhaul = await openLonghaul(flags);
  try {
    const report = await loadClient().collectGarbage(longhaul.client, {
      results,
      dryRun,
      ...(stores !== undefined && { stores }),
      ...(closedFor !== undefined && { closedFor }),
    });
    const { workflowIds, deleted, kept } = report;
    const summary = dryRun
      ? `would delete the contents of ${workflowIds.length} runs and threads; ${kept} stay`
      : `deleted ${deleted} contents of ${workflowIds.length} runs and threads; ${kept} stay`;
    return { json: report, lines: [...workflowIds.map(printableLine), summary] };
  } finally {
    await longhaul.close();
  }
}
