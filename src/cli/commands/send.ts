import type { Command } from 'commander';
import { defined } from '../../base';
import { addActorFlag } from '../session/actor';
import { addServerCommand } from '../session/connection';
import { type CommandContext, readInput } from '../session/parse-options';

type SendFlags = { readonly now?: true; readonly path?: string; readonly messageId?: string };

export function addSendCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('send')
    .summary('say something to an agent while it works')
    .description(
      'Gives a text to the agent of an open run, before its next model call. It answers no question: use `answer` for that.',
    )
    .argument('<workflowId>', 'the run')
    .argument('<text>', 'the text; - reads stdin')
    .option('--now', 'cut the model call in progress; its answer is lost')
    .option('--path <path>', 'the path of a run below it, as `show` lists it')
    .option('--message-id <id>', 'texts with the same id count once (default: random)');
  addServerCommand(
    addActorFlag(command),
    context,
    async (workflowId: string, text: string, { now, path, messageId }: SendFlags) => {
      const said = await readInput(text);
      const when = now === true ? 'now' : undefined;
      const options = defined({ when, path, messageId } as const);
      return async (longhaul) => {
        const reply = await longhaul.run(workflowId).send(said, options);
        return { lines: [`sent to ${workflowId}`], json: { workflowId, ...reply } };
      };
    },
  );
}
