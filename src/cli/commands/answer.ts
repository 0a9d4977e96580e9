import type { Command } from 'commander';
import type { PendingInput, RunHandle } from '../../client';
import { collect, type CommandContext, parseJsonObject, readInput } from '../session/parse-options';
import { followRun } from '../session/follow-run';
import { parseResult, replyTo, sendReply } from '../session/replies';
import { addActorFlag } from '../session/actor';
import { addSpecFlags } from '../session/agents';
import { addConnectionFlags } from '../session/connection';
import { exitCodes } from '../exit';
import { LonghaulError } from '../../protocol/errors';
import { printableJson } from '../render/text';
import { type CommandLine, commandLine, renderAnswerCommands } from '../render/render-parts';
import { openSession, type WorkerFlags } from '../session/session';
import type { Terminal } from '../render/terminal';

type ResumeFlags = PersonFlags & { readonly inputId?: string };

/** What a person says besides the verdict. */
type RemarkFlags = { readonly note?: string; readonly seen?: string };

export function addResumeCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('resume')
    .summary('answer a question of a run')
    .description(
      'Answers an open question of a run: with the text, or with an option by its number.',
    )
    .argument('<workflowId>', 'the run')
    .argument('<answer>', 'the answer; - reads stdin')
    .option('--input-id <id>', 'which question, when several are open');
  addPersonFlags(command).action(async (workflowId: string, answer: string, flags: ResumeFlags) => {
    const text = await readInput(answer);
    const act = async (run: RunHandle): Promise<string> => {
      await resume(run, text, flags);
      return 'answered';
    };
    finish(await decide({ workflowId, act }, flags, terminal));
  });
}

/** Refuses to decide about a call: an answer that was meant for a question must not let it run. */
function refuseVerdict(workflowId: string, input: PendingInput, command: CommandLine): void {
  if (input.kind !== 'approval' && input.kind !== 'tool') return;
  const lines = renderAnswerCommands(workflowId, [input], command);
  const problem = `'${input.inputId}' is not a question: ${input.question}`;
  throw new LonghaulError('InvalidAnswer', [problem, ...lines].join('\n'), {
    details: { inputId: input.inputId },
  });
}

/** Sends the answer unchecked if the input is not open any more: the run accepts the same answer again. */
async function resume(run: RunHandle, text: string, flags: ResumeFlags): Promise<void> {
  const { inputId } = flags;
  const pending = await run.pending();
  const input =
    inputId === undefined && pending.length === 1
      ? pending[0]
      : pending.find((open) => open.inputId === inputId);
  const remark = remarkOf(flags);
  if (input === undefined)
    return await run.resume(text, { ...remark, ...(inputId !== undefined && { inputId }) });
  refuseVerdict(run.workflowId, input, commandLine(flags));
  await sendReply(run, input.inputId, { ...replyTo(input, text), ...remark });
}

type ApproveFlags = PersonFlags & { readonly args?: string };

export function addApproveCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('approve')
    .summary('let a waiting tool call run')
    .description('Approves a tool call that waits, with other arguments if you give them.')
    .argument('<workflowId>', 'the run')
    .argument('<inputId>', 'the approval, as `show` lists it')
    .option('--args <json|@file>', 'arguments to call with instead');
  addPersonFlags(command).action(
    async (workflowId: string, inputId: string, flags: ApproveFlags) => {
      const args = flags.args === undefined ? {} : { args: parseJsonObject('--args', flags.args) };
      const act = async (run: RunHandle): Promise<string> => {
        const { missing, asksAnew } = await run.approve(inputId, { ...args, ...remarkOf(flags) });
        if (asksAnew) return 'changed, the run asks anew about the call:';
        return missing === 0 ? 'approved' : `approved, ${missing} more must approve:`;
      };
      finish(await decide({ workflowId, act }, flags, terminal));
    },
  );
}

export function addRejectCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('reject')
    .summary('refuse a waiting tool call')
    .description('Refuses a tool call that waits for approval. The model gets the reason.')
    .argument('<workflowId>', 'the run')
    .argument('<inputId>', 'the approval, as `show` lists it')
    .argument('<reason>', 'the reason, for the model');
  addPersonFlags(command).action(
    async (...[workflowId, inputId, reason, flags]: [string, string, string, PersonFlags]) => {
      const act = async (run: RunHandle): Promise<string> => {
        await run.reject(inputId, reason, remarkOf(flags));
        return 'refused';
      };
      finish(await decide({ workflowId, act }, flags, terminal));
    },
  );
}

export function addCompleteCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('complete')
    .summary('give the result of a waiting tool call')
    .description('Gives the result of a tool call that waits for one from elsewhere.')
    .argument('<workflowId>', 'the run')
    .argument('<inputId>', 'the call, as `show` lists it')
    .argument('<json>', 'the result: any JSON; - reads stdin');
  addPersonFlags(command).action(
    async (...[workflowId, inputId, given, flags]: [string, string, string, PersonFlags]) => {
      const value = parseResult(inputId, await readInput(given));
      const act = async (run: RunHandle): Promise<string> => {
        await run.complete(inputId, value, remarkOf(flags));
        return 'completed';
      };
      finish(await decide({ workflowId, act }, flags, terminal));
    },
  );
}

export function addFailCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('fail')
    .summary('say that a waiting tool call failed')
    .description(
      'Says that a tool call that waits for a result failed elsewhere. The model gets the reason.',
    )
    .argument('<workflowId>', 'the run')
    .argument('<inputId>', 'the call, as `show` lists it')
    .argument('<reason>', 'the reason, for the model');
  addPersonFlags(command).action(
    async (...[workflowId, inputId, reason, flags]: [string, string, string, PersonFlags]) => {
      const act = async (run: RunHandle): Promise<string> => {
        await run.fail(inputId, reason, remarkOf(flags));
        return 'failed';
      };
      finish(await decide({ workflowId, act }, flags, terminal));
    },
  );
}

type PersonFlags = WorkerFlags &
  RemarkFlags & {
    readonly json?: true;
    readonly follow?: true;
    readonly answer?: readonly string[];
  };

type AnswerAction = {
  readonly workflowId: string;
  /** Returns what to print: `answered`. */
  readonly act: (run: RunHandle) => Promise<string>;
};

/** The flags of `resume`, `approve`, `reject`, `complete` and `fail`. */
function addPersonFlags(command: Command): Command {
  return addSpecFlags(addActorFlag(addConnectionFlags(command)))
    .option('--note <text>', 'a remark for the audit; the model does not see it')
    .option('--seen <digest>', 'the digest of what you saw: refused if the input has changed since')
    .option('--follow', 'then follow the run, as `run` does')
    .option('--answer <text>', 'with --follow: answer to the next pause; may be repeated', collect)
    .option('--json', 'print JSON')
    .option('--agents <file>', 'agents to serve when no worker polls (default: longhaul.config.*)')
    .option('--no-worker', 'never serve agents in this process');
}

function remarkOf({ note, seen }: RemarkFlags): RemarkFlags {
  return { ...(note !== undefined && { note }), ...(seen !== undefined && { seen }) };
}

/** Sends a person's answer to a run. If this process serves the run, it also follows the run, because the run stops with the process. */
async function decide(
  { workflowId, act }: AnswerAction,
  flags: PersonFlags,
  terminal: Terminal,
): Promise<number> {
  const session = await openSession({ flags, terminal, workflowId });
  const { json = false, answer: answers = [] } = flags;
  try {
    const run = session.longhaul.run(workflowId);
    session.attendTo(workflowId);
    const isFollowed = flags.follow === true || session.isServing;
    const { logLength: from, turn } = isFollowed ? await run.state() : { logLength: 0, turn: 0 };
    const done = await act(run);
    if (!isFollowed) {
      terminal.print(
        json ? printableJson({ workflowId, accepted: true }) : `${done} ${workflowId}`,
      );
      return exitCodes.done;
    }
    const [command, opening] = [commandLine(flags), `${done} ${workflowId}`];
    return await session.whileServing(
      followRun({ run, terminal, json, answers, command, opening, from, turn }),
    );
  } finally {
    await session.close();
  }
}
