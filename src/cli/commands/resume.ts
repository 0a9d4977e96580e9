import type { Command } from 'commander';
import type { RunHandle } from '../../client';
import type { CommandContext } from '../session/command-context';
import { addPersonFlags, decide, type PersonFlags } from '../session/decide';
import { readInput } from '../session/read-input';
import { replyTo, sendReply } from '../session/reply';

type ResumeFlags = PersonFlags & { readonly inputId?: string };

export function addResumeCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('resume')
    .summary('answer a question of a run')
    .description(
      'Answers an open question of a run: with the text, or with an option by its number.',
    )
    .argument('<runId>', 'the run')
    .argument('<answer>', 'the answer; - reads stdin')
    .option('--input-id <id>', 'which question, when several are open');
  addPersonFlags(command).action(async (runId: string, answer: string, flags: ResumeFlags) => {
    const text = await readInput(answer);
    const act = (run: RunHandle): Promise<void> => resume(run, text, flags.inputId);
    finish(await decide({ runId, done: 'answered', act }, flags, terminal));
  });
}

/** An answer that was given before is sent as it is: an honest retry is accepted again. */
async function resume(run: RunHandle, text: string, inputId: string | undefined): Promise<void> {
  const pending = await run.pending();
  const input =
    inputId === undefined && pending.length === 1
      ? pending[0]
      : pending.find((open) => open.inputId === inputId);
  if (input === undefined) return await run.resume(text, inputId === undefined ? {} : { inputId });
  await sendReply(run, input.inputId, replyTo(input, text));
}
