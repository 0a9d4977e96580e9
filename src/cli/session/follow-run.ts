import type {
  AgentRunOutcome,
  PendingInput,
  ResumeOptions,
  RunEvent,
  RunHandle,
} from '../../client';
import { exitCodes, Interrupted } from '../exit';
import { hasCode, LonghaulError } from '../../protocol/errors';
import { printable, printableJson } from '../render/text';
import {
  type CommandLine,
  createEventRenderer,
  joinParts,
  plural,
  renderAnswerCommands,
  renderQuestion,
  tokensText,
} from '../render/render-parts';
import type { Terminal } from '../render/terminal';
import { defined, isJsonObject, type Json, type JsonObject } from '../../base/json';
import { quote } from '../../base/problem';

const defaultReason = 'A person rejected this call.';

const finishTimeoutMs = 2_000;

export type FollowOptions = {
  readonly run: RunHandle;
  readonly terminal: Terminal;
  readonly json: boolean;
  /** Answers to the next questions, in order. After them, the command asks the person. */
  readonly answers: readonly string[];
  readonly command: CommandLine;
  /** The first line to print. After it, Ctrl-C does not stop the run. */
  readonly opening: string;
  /** The log index to begin at, and the number of model turns before it. */
  readonly from?: number;
  readonly turn?: number;
};

const silenceMs = 15_000;

/**
 * Shows a run's steps until it ends or asks something that nobody here can answer. Returns the exit code. Throws the run's error if it
 * fails, and `Interrupted` on Ctrl-C; the run then goes on.
 */
export async function followRun(options: FollowOptions): Promise<number> {
  const { terminal, run, command } = options;
  let interrupt: (() => void) | undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = terminal.onInterrupt(() => {
      const show = command(['show', run.workflowId]);
      const cancel = command(['cancel', run.workflowId]);
      reject(new Interrupted(`run ${run.workflowId} goes on. See it: ${show}  End it: ${cancel}`));
    });
  });
  if (!options.json) terminal.note(terminal.noteStyle.dim(options.opening));
  try {
    return await Promise.race([followToEnd(options), interrupted]);
  } finally {
    interrupt?.();
  }
}

async function followToEnd(options: FollowOptions): Promise<number> {
  const { run } = options;
  const answers = [...options.answers];
  const print = eventPrinter(options);
  const silence = noteSilence(options);
  const show = (event: RunEvent): void => {
    if (event.entry.kind !== 'user') clearTimeout(silence);
    print(event);
  };
  let next = options.from ?? 0;
  for (;;) {
    const shown = showEvents(run, next, show);
    let outcome: AgentRunOutcome;
    try {
      outcome = await run.outcome();
    } finally {
      clearTimeout(silence);
      next = await shown.finish();
    }
    if (outcome.kind === 'complete') return printResult(outcome, options);
    const replied = await replyToAll(outcome.pending, answers, options);
    if (!replied) return printPending(outcome, options);
  }
}

/** After a while, tells the person that the run may just wait: for some minutes a killed worker still seems to poll. */
function noteSilence({ run, terminal }: FollowOptions): NodeJS.Timeout {
  return setTimeout(() => {
    terminal.note(
      `waiting for a worker to take up ${run.workflowId}, or for its first step to end`,
    );
  }, silenceMs).unref();
}

function eventPrinter(options: FollowOptions): (event: RunEvent) => void {
  const { run, terminal, json, turn = 0 } = options;
  if (json) {
    const { workflowId } = run;
    return (event) => terminal.print(printableJson({ kind: 'event', workflowId, ...event }));
  }
  const render = createEventRenderer({ style: terminal.noteStyle, width: terminal.width, turn });
  return (event) => {
    for (const line of render(event)) terminal.note(line);
  };
}

/** False if an input gets no answer. The inputs after it then stay open, too. */
async function replyToAll(
  pending: readonly PendingInput[],
  answers: string[],
  options: FollowOptions,
): Promise<boolean> {
  for (const input of pending) {
    const reply = await nextReply(input, answers, options);
    if (reply === undefined) return false;
    try {
      await sendReply(options.run, input.inputId, reply);
    } catch (error) {
      const asksAgain = options.terminal.isInteractive && hasCode(error, 'InvalidAnswer');
      if (!asksAgain && !hasCode(error, 'AlreadyAnswered') && !hasCode(error, 'NotWaiting'))
        throw error;
      options.terminal.note(printable(error.message));
    }
  }
  return true;
}

async function nextReply(
  input: PendingInput,
  answers: string[],
  { terminal, json }: FollowOptions,
): Promise<Reply | undefined> {
  const given = answers.shift();
  if (given === undefined) {
    return terminal.isInteractive && !json ? await askPerson(input, terminal) : undefined;
  }
  if (!json) {
    for (const line of renderQuestion(input, terminal.noteStyle)) terminal.note(line);
  }
  return replyTo(input, given);
}

function printResult(
  outcome: AgentRunOutcome & { readonly kind: 'complete' },
  { run, terminal, json }: FollowOptions,
): number {
  const { workflowId } = run;
  const { finalResponse, iterations, usage, completionReason, warnings = [] } = outcome.result;
  if (json) {
    terminal.print(printableJson({ workflowId, ...outcome }));
    return exitCodes.done;
  }
  for (const warning of warnings) terminal.note(`warning: ${printable(warning)}`);
  terminal.print(printable(finalResponse.text));
  const rounds = iterations === 0 ? undefined : plural(iterations, 'tool round');
  const parts = joinParts([workflowId, printable(completionReason), rounds, tokensText(usage)]);
  terminal.note(terminal.noteStyle.dim(parts));
  return exitCodes.done;
}

function printPending(
  outcome: AgentRunOutcome & { readonly kind: 'needs-input' },
  { run, terminal, json, command }: FollowOptions,
): number {
  const { workflowId } = run;
  if (json) {
    terminal.print(printableJson({ workflowId, ...outcome }));
    return exitCodes.needsInput;
  }
  for (const input of outcome.pending) {
    for (const line of renderQuestion(input, terminal.style)) terminal.print(line);
  }
  for (const line of renderAnswerCommands(workflowId, outcome.pending, command))
    terminal.print(line);
  return exitCodes.needsInput;
}

type ShownEvents = {
  /** Stops watching and shows the events since then. Resolves with the index of the next event. */
  finish(): Promise<number>;
};

/** Shows a run's events from an index on, in the background. Ignores errors: the caller waits for the run itself. */
function showEvents(run: RunHandle, from: number, show: (event: RunEvent) => void): ShownEvents {
  const watching = new AbortController();
  let next = from;
  const showNext = (event: RunEvent): void => {
    if (event.index !== next) return;
    next += 1;
    show(event);
  };
  const watched = watch(run, { from, signal: watching.signal, show: showNext });
  const catchUp = async (): Promise<void> => {
    watching.abort();
    await watched;
    for (const entry of await run.log({ from: next })) showNext({ index: next, entry });
  };
  return {
    finish: async () => {
      await withTimeout(catchUp().catch(() => undefined));
      return next;
    },
  };
}

async function watch(
  run: RunHandle,
  options: { from: number; signal: AbortSignal; show: (event: RunEvent) => void },
): Promise<void> {
  const { from, signal, show } = options;
  try {
    for await (const event of run.events({ from, signal })) {
      if (signal.aborted) return;
      show(event);
    }
  } catch {
    // The server or the worker is away. `outcome` reports it.
  }
}

async function withTimeout(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, finishTimeoutMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** A person's answer to a pending input. */
type Reply =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'approve'; readonly args?: JsonObject }
  | { readonly kind: 'reject'; readonly reason: string }
  | { readonly kind: 'complete'; readonly value: Json }
  | { readonly kind: 'fail'; readonly reason: string };

/**
 * What a text means as an answer. To a question: an option, its number, or any text. To an approval: `y`, `n`, `n: reason`, or the
 * arguments to call with, as JSON. To a tool call that waits for its result: the result as JSON, or `fail: reason`.
 */
export function replyTo(input: PendingInput, text: string): Reply {
  if (input.kind === 'tool') return resultReply(input, text);
  return input.kind === 'approval' ? approvalReply(input, text) : answerReply(input, text);
}

export async function sendReply(
  run: RunHandle,
  inputId: string,
  reply: Reply & Pick<ResumeOptions, 'note' | 'seen'>,
): Promise<void> {
  const { note, seen } = reply;
  const remark = defined({ note, seen });
  switch (reply.kind) {
    case 'answer':
      return await run.resume(reply.text, { inputId, ...remark });
    case 'approve':
      await run.approve(inputId, { ...remark, ...(reply.args && { args: reply.args }) });
      return;
    case 'reject':
      return await run.reject(inputId, reply.reason, remark);
    case 'complete':
      return await run.complete(inputId, reply.value, remark);
    case 'fail':
      return await run.fail(inputId, reply.reason, remark);
  }
}

/** The text as a JSON object, or undefined. */
function argumentsFromText(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function answerReply({ options = [] }: PendingInput, text: string): Reply {
  if (options.includes(text)) return { kind: 'answer', text };
  const chosen = /^\d+$/.test(text.trim()) ? options[Number(text) - 1] : undefined;
  return { kind: 'answer', text: chosen ?? text };
}

function approvalReply({ inputId }: PendingInput, text: string): Reply {
  const word = text.trim();
  if (/^(?:y|yes|approve)$/i.test(word)) return { kind: 'approve' };
  const refusal = /^(?:n|no|reject)(?:\s*:\s*(?<reason>[\s\S]*))?$/i.exec(word);
  if (refusal !== null)
    return { kind: 'reject', reason: refusal.groups?.['reason'] || defaultReason };
  const args = argumentsFromText(word);
  if (args !== undefined) return { kind: 'approve', args };
  throw new LonghaulError(
    'InvalidAnswer',
    `${quote(text)} does not answer the approval '${inputId}': give y, n, "n: reason", or the arguments as a JSON object`,
  );
}

function resultReply({ inputId }: PendingInput, text: string): Reply {
  const reason = /^\s*fail\s*:(?<reason>[\s\S]*)$/i.exec(text)?.groups?.['reason']?.trim();
  if (reason !== undefined && reason !== '') return { kind: 'fail', reason };
  return { kind: 'complete', value: parseResult(inputId, text) };
}

/** The result of a tool call. Not any text: a typing error in JSON would be a result. */
export function parseResult(inputId: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new LonghaulError(
      'InvalidAnswer',
      `${quote(text)} is no result of '${inputId}': give JSON, such as '{"done": true}' or '"a text"'`,
      { cause: error },
    );
  }
}

/** Asks until there is a reply. Undefined if the person ended the input. */
export async function askPerson(
  input: PendingInput,
  terminal: Terminal,
): Promise<Reply | undefined> {
  for (const line of renderQuestion(input, terminal.style)) terminal.print(line);
  if (input.kind === 'tool') return await askResult(input, terminal);
  return input.kind === 'approval' ? askApproval(input, terminal) : askQuestion(input, terminal);
}

async function askResult(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  for (;;) {
    const text = await terminal.ask('result as JSON, or fail: reason > ');
    if (text === undefined) return undefined;
    try {
      return replyTo(input, text);
    } catch (error) {
      terminal.print(printable(String(error)));
    }
  }
}

async function askQuestion(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  for (;;) {
    const text = await terminal.ask('> ');
    if (text === undefined) return undefined;
    if (text.trim() !== '') return replyTo(input, text);
  }
}

async function askApproval(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  for (;;) {
    const choice = await terminal.ask('[y]es, [n]o, [e]dit > ');
    if (choice === undefined) return undefined;
    if (/^y(?:es)?$/i.test(choice.trim())) return { kind: 'approve' };
    if (/^n(?:o)?$/i.test(choice.trim())) {
      const reason = await terminal.ask('reason > ');
      return reason === undefined ? undefined : replyTo(input, `n: ${reason}`);
    }
    if (/^e(?:dit)?$/i.test(choice.trim())) return askArguments(input, terminal);
  }
}

async function askArguments(input: PendingInput, terminal: Terminal): Promise<Reply | undefined> {
  let draft = JSON.stringify(input.call?.args ?? {});
  for (;;) {
    const text = await terminal.ask('arguments > ', draft);
    if (text === undefined) return undefined;
    const args = argumentsFromText(text);
    if (args !== undefined) return { kind: 'approve', args };
    terminal.print('the arguments must be a JSON object');
    draft = text;
  }
}
