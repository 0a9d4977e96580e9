import type { AgentRunOutcome, PendingInput, RunEvent, RunHandle } from '../../client';
import { askPerson, type Reply, replyTo, sendReply } from './reply';
import { Interrupted } from '../cli-error';
import { hasCode } from '../../protocol/errors';
import { exitCodes } from '../exit-codes';
import { printable, printableJson, printableLine } from '../render/printable';
import {
  callLine,
  joinParts,
  messageText,
  plural,
  resultLine,
  tokens,
} from '../render/render-parts';
import { type CommandLine, renderAnswerCommands, renderQuestion } from '../render/render-pending';
import type { Terminal } from '../render/terminal';
import type { Decision, ModelTurnEvent } from '../../protocol/log';
import type { Style } from '../render/style';
import { clipToWidth, padToWidth } from '../render/table';

const labelWidth = 8;

const finishTimeoutMs = 2_000;

export type FollowOptions = {
  readonly run: RunHandle;
  readonly terminal: Terminal;
  readonly json: boolean;
  /** Given to the pauses in order, before anybody is asked. */
  readonly answers: readonly string[];
  readonly command: CommandLine;
  /** Said first; from then on Ctrl-C leaves the run alone. */
  readonly opening: string;
  /** Where in the log to begin, and how many model turns are before that. */
  readonly from?: number;
  readonly turn?: number;
};

const silenceMs = 15_000;

/**
 * Shows a run's steps until it ends or asks something that nobody here can answer, and returns the exit code. Throws what the run
 * failed with, and `Interrupted` on Ctrl-C: the run itself goes on.
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

/** A worker that was killed still seems to poll for some minutes: the person is told that nothing may be wrong with the run. */
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

/** False when one of them finds no answer: those after it stay open, too. */
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
      if (!hasCode(error, 'AlreadyAnswered') && !hasCode(error, 'NotWaiting')) throw error;
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
  const parts = joinParts([workflowId, printable(completionReason), rounds, tokens(usage)]);
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
  /** Stops watching and shows what came meanwhile; resolves with the index of the next event. */
  finish(): Promise<number>;
};

/**
 * Shows a run's events from an index on, in the background. What they cannot tell is no reason to fail: the run itself is waited
 * for elsewhere.
 */
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
    // The server or the worker is away: `outcome` says so.
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

type EventRendererOptions = {
  readonly style: Style;
  readonly width: number;
  /** Model turns before the first event. */
  readonly turn?: number;
};

type Line = {
  readonly label: string;
  readonly text: string;
  readonly look?: 'red' | 'cyan' | 'yellow' | 'dim';
};

/** Lines of progress for the events of one run, in their order; the prompt itself is not repeated. */
export function createEventRenderer({
  style,
  width,
  turn = 0,
}: EventRendererOptions): (event: RunEvent) => string[] {
  let currentTurn = turn;
  return (event) => {
    if (event.entry.kind === 'model-turn') currentTurn += 1;
    const number = currentTurn === 0 ? '' : `#${currentTurn}`;
    return linesOf(event).map(({ label, text, look }) => {
      const head = `${padToWidth(number, 4)}${padToWidth(label, labelWidth)}`;
      const body = clipToWidth(text, Math.max(20, width - head.length));
      return `${style.dim(head)}${look === undefined ? body : style[look](body)}`;
    });
  };
}

function linesOf({ index, entry }: RunEvent): readonly Line[] {
  switch (entry.kind) {
    case 'user':
      if (index === 0) return [];
      return [{ label: 'you', text: printableLine(messageText(entry.message.parts)) }];
    case 'model-turn':
      return turnLines(entry);
    case 'tool-result':
      return entry.result.isError
        ? [{ label: 'error', text: resultLine(entry.result), look: 'red' }]
        : [{ label: 'result', text: resultLine(entry.result) }];
    case 'decision':
      return decisionLines(entry.decision);
    case 'summary':
      return [{ label: 'summary', text: printableLine(entry.text), look: 'dim' }];
  }
}

function turnLines({ content, usage, finishReason }: ModelTurnEvent): readonly Line[] {
  const calls = content.filter((part) => part.type === 'tool_call');
  const text = printableLine(messageText(content));
  const cut = finishReason === 'length' ? 'cut at the output limit' : undefined;
  const parts = joinParts([text === '' ? 'no text' : 'text', cut, tokens(usage)]);
  if (calls.length === 0) return [{ label: 'model', text: parts, look: 'dim' }];
  const said: Line[] = text === '' ? [] : [{ label: 'model', text }];
  return [
    ...said,
    ...calls.map((call) => ({ label: 'call', text: callLine(call), look: 'cyan' as const })),
  ];
}

function decisionLines(decision: Decision): readonly Line[] {
  const note = (text: string): readonly Line[] => [
    { label: 'note', text: printableLine(text), look: 'yellow' },
  ];
  switch (decision.kind) {
    case 'history':
      return [];
    case 'repair-call':
      return note(`call ${decision.index + 1} is taken as ${decision.name}`);
    case 'ignore-call':
      return note(`call ${decision.index + 1} is left out`);
    case 'answer-calls':
      return decision.answers.flatMap(({ text }) => note(text));
    case 'edit-call':
      return note(`a person changed the arguments to ${JSON.stringify(decision.args)}`);
    case 'replace-turn':
      return note(`the response became: ${decision.text}`);
    case 'feedback':
      return note(decision.text);
    case 'go-on':
      return note('the provider paused; the model goes on');
  }
}
