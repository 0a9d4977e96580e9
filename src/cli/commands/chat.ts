import type { Command } from 'commander';
import { defined } from '../../base';
import { addActorFlag } from '../session/actor';
import { type CommandContext, readInput } from '../session/parse-options';
import { addTaskQueueFlag } from '../session/connection';
import { commandLine, type CommandLine, userText } from '../render/render-parts';
import { addWorkerFlags, openSession, type WorkerFlags } from '../session/session';
import type { ThreadHandle, TurnHandle, TurnView } from '../../client';
import { hasCode, LonghaulError } from '../../protocol';
import { exitCodes, Interrupted } from '../exit';
import { followRun } from '../session/follow-run';
import { printable } from '../render/text';
import type { Terminal } from '../render/terminal';

const shownTurns = 10;

const help = '/exit ends the chat, /clear forgets it';

type ChatFlags = WorkerFlags & {
  readonly session?: string;
  readonly user?: string;
  readonly app?: string;
};

export function addChatCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('chat')
    .summary('talk with an agent, and go on where you were')
    .description(
      'A conversation in the terminal. The agent remembers it, by application, user and session; the same command goes on with it. ' +
        'Without a terminal each line of stdin is a message. ' +
        'If no worker polls, this process serves the agents of longhaul.config, --agents or -f while the command runs.',
    )
    .argument('<agent>', 'id of an agent')
    .option('--session <id>', 'which conversation (default: the id of the agent)')
    .option('--user <id>', 'user of the conversation (default: default)')
    .option('--app <name>', 'application of the conversation (default: that of the client)');
  addActorFlag(addTaskQueueFlag(addWorkerFlags(command))).action(
    async (agent: string, given: ChatFlags) => {
      // A conversation stays on its task queue. So the queue for specs must be the same each time the command runs.
      const { file, taskQueue = file && `longhaul-chat-${agent}` } = given;
      const flags = { ...given, ...defined({ taskQueue }) };
      const lines = terminal.isInteractive ? undefined : (await readInput('-')).split('\n');
      const session = await openSession({
        flags,
        terminal,
        check: ({ registry }) => void registry.definition(agent),
      });
      try {
        const thread = session.longhaul.thread({
          agent,
          sessionId: flags.session ?? agent,
          ...defined({ userId: flags.user, appName: flags.app }),
        });
        session.attendTo(thread.threadId);
        const options = { thread, terminal, command: commandLine(given), ...defined({ lines }) };
        finish(await session.whileServing(chat(options)));
      } finally {
        await session.close();
      }
    },
  );
}

type ChatOptions = {
  readonly thread: ThreadHandle;
  readonly terminal: Terminal;
  readonly command: CommandLine;
  /** The messages to send if there is no terminal. */
  readonly lines?: readonly string[];
};

/** Returns the exit code. Throws `Interrupted` on Ctrl-C while a turn runs: the turn goes on. */
export async function chat(options: ChatOptions): Promise<number> {
  const { thread, lines } = options;
  const turns = await thread.turns({ last: shownTurns });
  if (lines !== undefined) return await sayAll(lines, options);
  showPast(turns, options);
  for (const turn of turns.filter(isOpen)) {
    options.terminal.print(said(turn, options.terminal));
    const code = await follow(thread.turn(turn), options);
    if (code === exitCodes.needsInput) return code;
  }
  return await converse(options);
}

async function sayAll(lines: readonly string[], options: ChatOptions): Promise<number> {
  let worst: number = exitCodes.done;
  for (const line of lines.filter((each) => each.trim() !== '')) {
    const code = await follow(await options.thread.send(line), options);
    if (code === exitCodes.needsInput) return code;
    if (code !== exitCodes.done) worst = code;
  }
  return worst;
}

async function converse(options: ChatOptions): Promise<number> {
  const { thread, terminal } = options;
  terminal.note(terminal.noteStyle.dim(help));
  for (;;) {
    const text = (await terminal.ask('you > '))?.trim();
    if (text === undefined || text === '/exit') return exitCodes.done;
    if (text === '') continue;
    if (text === '/clear') {
      await thread.clear();
      terminal.note('forgotten');
    } else if (text.startsWith('/') && !text.includes(' ')) {
      terminal.note(help);
    } else {
      const code = await follow(await thread.send(text), options);
      if (code === exitCodes.needsInput) return code;
    }
  }
}

/** A turn that failed does not end the conversation. */
async function follow(turn: TurnHandle, options: ChatOptions): Promise<number> {
  const { terminal, command } = options;
  try {
    const shown = { run: turn, terminal, json: false, isLive: true };
    return await followRun({ ...shown, answers: [], command });
  } catch (error) {
    if (error instanceof Interrupted || !LonghaulError.is(error)) throw error;
    if (hasCode(error, 'ServerUnavailable') || hasCode(error, 'NoWorker')) throw error;
    terminal.note(terminal.noteStyle.red(`error: ${printable(error.message)}`));
    return hasCode(error, 'RunCancelled') ? exitCodes.cancelled : exitCodes.failed;
  }
}

function showPast(turns: readonly TurnView[], { terminal }: ChatOptions): void {
  for (const turn of turns) {
    if (isOpen(turn)) continue;
    terminal.print(said(turn, terminal));
    const { assistant, failure, status } = turn;
    if (assistant !== undefined) terminal.print(printable(assistant));
    else terminal.print(terminal.style.dim(printable(`${status}: ${failure?.message ?? ''}`)));
  }
}

function said({ user }: TurnView, { style }: Terminal): string {
  return `${style.bold('you >')} ${userText(user)}`;
}

function isOpen({ status }: TurnView): boolean {
  return status === 'queued' || status === 'running';
}
