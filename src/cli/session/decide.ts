import type { Command } from 'commander';
import type { RunHandle } from '../../client';
import { addSpecFlags } from './agents-source';
import { addConnectionFlags } from './connection';
import { exitCodes } from '../exit-codes';
import { followRun } from './follow-run';
import { collect } from './parse-options';
import { printableJson } from '../render/printable';
import { commandLine } from '../render/render-pending';
import { openSession, type WorkerFlags } from './session';
import type { Terminal } from '../render/terminal';

export type PersonFlags = WorkerFlags & {
  readonly json?: true;
  readonly follow?: true;
  readonly answer?: readonly string[];
};

export type Decision = {
  readonly runId: string;
  /** What to say afterwards: `answered`. */
  readonly done: string;
  readonly act: (run: RunHandle) => Promise<void>;
};

/** What `resume`, `approve` and `reject` have in common. */
export function addPersonFlags(command: Command): Command {
  return addSpecFlags(addConnectionFlags(command))
    .option('--follow', 'then follow the run, as `run` does')
    .option('--answer <text>', 'with --follow: answer to the next pause; may be repeated', collect)
    .option('--json', 'print JSON')
    .option('--agents <file>', 'agents to serve when no worker polls (default: longhaul.config.*)')
    .option('--no-worker', 'never serve agents in this process');
}

/** Tells a run what a person decided. Served by this process, the run is then followed: it goes on only as long as this does. */
export async function decide(
  { runId, done, act }: Decision,
  flags: PersonFlags,
  terminal: Terminal,
): Promise<number> {
  const session = await openSession({ flags, terminal, runId });
  const { json = false, answer: answers = [] } = flags;
  try {
    const run = session.longhaul.run(runId);
    session.attendTo(runId);
    const isFollowed = flags.follow === true || session.isServing;
    const { logLength: from, turn } = isFollowed ? await run.state() : { logLength: 0, turn: 0 };
    await act(run);
    if (!isFollowed) {
      terminal.print(json ? printableJson({ runId, accepted: true }) : `${done} ${runId}`);
      return exitCodes.done;
    }
    const [command, opening] = [commandLine(flags), `${done} ${runId}`];
    return await session.whileServing(
      followRun({ run, terminal, json, answers, command, opening, from, turn }),
    );
  } finally {
    await session.close();
  }
}
