import type { Command } from 'commander';
import { addSpecFlags } from '../session/agents-source';
import { chat } from '../session/chat';
import type { CommandContext } from '../session/command-context';
import { addConnectionFlags, addTaskQueueFlag } from '../session/connection';
import { readInput } from '../session/read-input';
import { commandLine } from '../render/render-pending';
import { openSession, type WorkerFlags } from '../session/session';

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
        'Where no worker polls, the agents of longhaul.config, --agents or -f run in this process, for as long as the command does.',
    )
    .argument('<agent>', 'id of an agent')
    .option('--session <id>', 'which conversation (default: the id of the agent)')
    .option('--user <id>', 'whose (default: default)')
    .option('--app <name>', 'of which application (default: default)')
    .option('--agents <file>', 'agents to serve when no worker polls (default: longhaul.config.*)')
    .option('--no-worker', 'never serve agents in this process');
  addTaskQueueFlag(addConnectionFlags(addSpecFlags(command))).action(
    async (agent: string, given: ChatFlags) => {
      const flags = withOwnQueue(agent, given);
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
          ...(flags.user !== undefined && { userId: flags.user }),
          ...(flags.app !== undefined && { appName: flags.app }),
        });
        session.attendTo(thread.threadId);
        const options = { thread, terminal, command: commandLine(given), ...(lines && { lines }) };
        finish(await session.whileServing(chat(options)));
      } finally {
        await session.close();
      }
    },
  );
}

/** A conversation stays on its task queue: that of specs must be the same when the command runs again. */
function withOwnQueue(agent: string, flags: ChatFlags): ChatFlags {
  if (flags.file === undefined || flags.taskQueue !== undefined) return flags;
  return { ...flags, taskQueue: `longhaul-chat-${agent}` };
}
