import type { Command } from 'commander';
import type { Longhaul, SteerOptions } from '../../client';
import { addActorFlag } from '../session/actor';
import {
  addConnectionFlags,
  type Answer,
  askServer,
  type ConnectionFlags,
} from '../session/connection';
import { type CommandContext, readInput } from '../session/parse-options';

type SendFlags = ConnectionFlags & {
  readonly now?: true;
  readonly path?: string;
  readonly messageId?: string;
  readonly json?: true;
};

export function addSendCommand(program: Command, { terminal, finish }: CommandContext): void {
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
    .option('--message-id <id>', 'texts with the same id count once (default: random)')
    .option('--json', 'print JSON');
  addActorFlag(addConnectionFlags(command)).action(
    async (workflowId: string, text: string, flags: SendFlags) => {
      const said = await readInput(text);
      const options: SteerOptions = {
        ...(flags.now === true && { when: 'now' }),
        ...(flags.path !== undefined && { path: flags.path }),
        ...(flags.messageId !== undefined && { messageId: flags.messageId }),
      };
      const send = async (longhaul: Longhaul): Promise<Answer> => {
        const reply = await longhaul.run(workflowId).send(said, options);
        return { lines: [`sent to ${workflowId}`], json: { workflowId, ...reply } };
      };
      finish(await askServer(flags, terminal, send));
    },
  );
}
