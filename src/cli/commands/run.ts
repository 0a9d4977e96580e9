import type { Command } from 'commander';
import { addActorFlag } from '../session/actor';
import { defined } from '../../base';
import type { StartOptions } from '../../client';
import { exitCodes, UsageError } from '../exit';
import { collect, type CommandContext, parseJsonObject, readInput } from '../session/parse-options';
import { addTaskQueueFlag, openLonghaul } from '../session/connection';
import { followRun } from '../session/follow-run';
import { liveWorkers } from '../session/read-run';
import { printableJson } from '../render/text';
import { commandLine } from '../render/render-parts';
import { addWorkerFlags, openSession, type WorkerFlags } from '../session/session';
import type { Terminal } from '../render/terminal';

type RunFlags = WorkerFlags & {
  readonly answer?: readonly string[];
  readonly workflowId?: string;
  readonly session?: string;
  readonly context?: string;
  readonly detach?: true;
};

export function addRunCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('run')
    .summary('start a run and follow it')
    .description(
      'Starts a run, shows its steps and those of the runs below it, and prints its answer. On a terminal, text streams. On a pause it asks in the terminal, or takes the next --answer. ' +
        'If no worker polls, this process serves the agents of longhaul.config or --agents while the command runs. ' +
        'With -f it serves the agents of that file in this process, on a separate task queue.',
    )
    .argument('<agent>', 'id of an agent or workflow')
    .argument('<input>', 'the input; - reads stdin')
    .option('--answer <text>', 'answer to the next pause; may be repeated', collect)
    .option('--workflow-id <id>', 'id of the run (default: <agent>-<12 characters>)')
    .option('--session <json|@file>', 'session the run starts with')
    .option('--context <json|@file>', 'for tools only, never shown to the model')
    .option('--detach', 'only start it and print its id')
    .option('--json', 'one JSON object per line: log entries and live events, then the outcome');
  addActorFlag(addTaskQueueFlag(addWorkerFlags(command))).action(
    async (agent: string, input: string, flags: RunFlags) => {
      const start = { agent, input: await readInput(input), options: startOptions(flags) };
      const run = flags.detach === true ? startDetached : startAndFollow;
      finish(await run(start, flags, terminal));
    },
  );
}

type RunRequest = {
  readonly agent: string;
  readonly input: string;
  readonly options: StartOptions;
};

function startOptions({ workflowId, session, context }: RunFlags): StartOptions {
  return defined({
    workflowId,
    session: session === undefined ? undefined : parseJsonObject('--session', session),
    context: context === undefined ? undefined : parseJsonObject('--context', context),
  });
}

async function startDetached(
  start: RunRequest,
  flags: RunFlags,
  terminal: Terminal,
): Promise<number> {
  if (flags.file !== undefined) {
    throw new UsageError(
      '-f cannot be used with --detach: it serves the agents only while the command runs. Start `longhaul worker -f` first, and leave -f out here',
    );
  }
  const longhaul = await openLonghaul(flags);
  const { workflowId } = await longhaul.start(start.agent, start.input, start.options);
  terminal.print(flags.json === true ? printableJson({ workflowId }) : workflowId);
  const workers = await liveWorkers(longhaul.client, longhaul.taskQueue);
  if (workers.every(({ isTemporary }) => isTemporary)) {
    terminal.note(
      `warning: no worker polls task queue '${longhaul.taskQueue}': the run goes on when one starts`,
    );
  }
  await longhaul.close();
  return exitCodes.done;
}

async function startAndFollow(
  start: RunRequest,
  flags: RunFlags,
  terminal: Terminal,
): Promise<number> {
  const session = await openSession({
    flags,
    terminal,
    check: ({ registry }) => void registry.definition(start.agent),
  });
  try {
    const run = await session.longhaul.start(start.agent, start.input, start.options);
    session.attendTo(run.workflowId);
    // No other worker polls a task queue of its own: whoever takes over the run needs the queue's name.
    const where = flags.file === undefined ? '' : ` on task queue ${session.longhaul.taskQueue}`;
    const opening = `run ${run.workflowId}${where}`;
    const { answer: answers = [], json = false } = flags;
    const shown = { run, terminal, json, answers, command: commandLine(flags), opening };
    return await session.whileServing(followRun({ ...shown, isLive: true }));
  } finally {
    await session.close();
  }
}
