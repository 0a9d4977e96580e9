import type { Command } from 'commander';
import { defined } from '../../base';
import type { RunHandle } from '../../client/index';
import { LonghaulError } from '../../protocol';
import { exitCodes, UsageError } from '../exit';
import { commandLine, renderAnswerCommands } from '../render/render-parts';
import { printableJson } from '../render/text';
import { addActorFlag } from '../session/actor';
import { followRun } from '../session/follow-run';
import {
  addChoices,
  checkNeeds,
  collect,
  type CommandContext,
  parseJsonObject,
  readInput,
} from '../session/parse-options';
import { parseResult, type Reply, replyTo, sendReply } from '../session/replies';
import { addWorkerFlags, openSession, type WorkerFlags } from '../session/session';

/** Each names the input. What the value is follows from it. */
const ways = {
  '--input-id <id>': 'which question, when several are open',
  '--approve <inputId>': 'let this tool call run; takes no value',
  '--reject <inputId>': 'refuse this tool call; the value is the reason, for the model',
  '--complete <inputId>': 'give the result of this tool call; the value is any JSON',
  '--fail <inputId>': 'say that this tool call failed; the value is the reason, for the model',
};

const wanted = {
  answer: 'the answer',
  reject: 'the reason',
  complete: 'the result',
  fail: 'the reason',
};

type AnswerFlags = WorkerFlags &
  Partial<
    Record<
      'inputId' | 'approve' | 'reject' | 'complete' | 'fail' | 'args' | 'note' | 'seen',
      string
    >
  > & {
    readonly json?: true;
    readonly follow?: true;
    readonly answer?: readonly string[];
  };

/** Sends the answer and says what the run took it as. */
type Act = (run: RunHandle) => Promise<string>;

export function addAnswerCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('answer')
    .summary('answer a question of a run, or decide about a tool call')
    .description(
      'Answers an open question of a run: with the text, or with an option by its number. With --approve, --reject, --complete ' +
        'or --fail, it decides about a waiting tool call, by the id that `show` lists.',
    )
    .argument('<workflowId>', 'the run')
    .argument('[value]', 'the answer, the reason or the result; - reads stdin');
  addChoices(command, ways)
    .option('--args <json|@file>', 'with --approve: arguments to call with instead')
    .option('--note <text>', 'a remark for the audit; the model does not see it')
    .option('--seen <digest>', 'the digest of what you saw: refused if the input has changed since')
    .option('--follow', 'then follow the run, as `run` does')
    .option('--answer <text>', 'with --follow: answer to the next pause; may be repeated', collect)
    .option('--json', 'print JSON');
  addActorFlag(addWorkerFlags(command)).action(
    async (workflowId: string, value: string | undefined, flags: AnswerFlags) => {
      const act = await actOf(value, flags);
      const session = await openSession({ flags, terminal, workflowId });
      try {
        const run = session.longhaul.run(workflowId);
        session.attendTo(workflowId);
        // If this process serves the run, it also follows the run, because the run stops with the process.
        const isFollowed = flags.follow === true || session.isServing;
        const { logLength: from, turn } = isFollowed
          ? await run.state()
          : { logLength: 0, turn: 0 };
        const opening = `${await act(run)} ${workflowId}`;
        const { json = false, answer: answers = [] } = flags;
        if (isFollowed) {
          const shown = { run, terminal, json, answers, command: commandLine(flags), opening };
          finish(await session.whileServing(followRun({ ...shown, from, turn })));
        } else {
          terminal.print(json ? printableJson({ workflowId, accepted: true }) : opening);
          finish(exitCodes.done);
        }
      } finally {
        await session.close();
      }
    },
  );
}

async function actOf(value: string | undefined, flags: AnswerFlags): Promise<Act> {
  const { approve, args, note, seen } = flags;
  const remark = defined({ note, seen });
  if (approve !== undefined) {
    if (value !== undefined)
      throw new UsageError('--approve takes no value: --args changes the arguments of the call');
    const edited = args === undefined ? {} : { args: parseJsonObject('--args', args) };
    return (run) => sendReply(run, approve, { kind: 'approve', ...edited, ...remark });
  }
  checkNeeds(flags, ['args'], '--approve');
  const way = (['reject', 'complete', 'fail'] as const).find((name) => flags[name] !== undefined);
  if (value === undefined)
    throw new UsageError(`${wanted[way ?? 'answer']} is missing: give it after the id of the run`);
  const text = await readInput(value);
  if (way === undefined) return (run) => answerQuestion(run, text, flags);
  const inputId = flags[way] ?? '';
  const reply: Reply =
    way === 'complete'
      ? { kind: way, value: parseResult(inputId, text) }
      : { kind: way, reason: text };
  return (run) => sendReply(run, inputId, { ...reply, ...remark });
}

/** Sends the answer unchecked if the question is not open any more: the run accepts the same answer again. */
async function answerQuestion(run: RunHandle, text: string, flags: AnswerFlags): Promise<string> {
  const { inputId, note, seen } = flags;
  const pending = await run.pending();
  const [only, another] = pending;
  const isClear = inputId === undefined && another === undefined;
  const input = isClear ? only : pending.find((open) => open.inputId === inputId);
  if (input === undefined) {
    await run.resume(text, defined({ inputId, note, seen }));
    return 'answered';
  }
  // An answer that was meant for a question must not let a call run.
  if (input.kind === 'approval' || input.kind === 'tool') {
    const lines = renderAnswerCommands(run.workflowId, [input], commandLine(flags));
    const problem = `'${input.inputId}' is not a question: ${input.question}`;
    const details = { inputId: input.inputId };
    throw new LonghaulError('InvalidAnswer', [problem, ...lines].join('\n'), { details });
  }
  return await sendReply(run, input.inputId, {
    ...replyTo(input, text),
    ...defined({ note, seen }),
  });
}
