import { Option, type Command } from 'commander';
import type { RunStatus, RunSummary } from '../../client';
import type { CommandContext } from '../session/command-context';
import { addConnectionFlags, openLonghaul, type ConnectionFlags } from '../session/connection';
import { exitCodes } from '../exit-codes';
import { addWhoseFlags, parseCount, type WhoseFlags, whoseOf } from '../session/parse-options';
import { printableJson } from '../render/printable';
import { renderList } from '../render/render-list';

const statuses: readonly RunStatus[] = [
  'loading',
  'running',
  'needs-input',
  'completed',
  'failed',
  'cancelled',
];

type ListFlags = ConnectionFlags &
  WhoseFlags & {
    readonly status?: RunStatus;
    readonly children?: true;
    readonly limit: number;
    readonly json?: true;
  };

export function addListCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = addWhoseFlags(program.command('list'))
    .summary('list runs')
    .description('Lists runs, the newest first. A new run shows up after about a second.')
    .addOption(new Option('--status <status>', 'only runs with this status').choices(statuses))
    .option('--children', 'also child runs, and the turns of conversations')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--json', 'print a JSON array');
  addConnectionFlags(command).action(async (flags: ListFlags) => {
    const { status, children = false, limit } = flags;
    const longhaul = await openLonghaul(flags);
    const runs: RunSummary[] = [];
    const filter = { ...whoseOf(flags), ...(status && { status }), children };
    for await (const run of longhaul.runs(filter)) {
      runs.push(run);
      if (runs.length >= limit) break;
    }
    const { style, width } = terminal;
    const lines =
      flags.json === true
        ? [printableJson(runs)]
        : renderList(runs, { style, width, now: new Date() });
    for (const line of lines) terminal.print(line);
    if (runs.length === 0 && flags.json !== true) terminal.note('no runs');
    await longhaul.close();
    finish(exitCodes.done);
  });
}
