import type { AgentRunOutcome, PendingInput, RunEvent, RunHandle } from '../../client/index';
import { plural } from '../../base';
import { exitCodes, Interrupted, messageOf } from '../exit';
import { hasCode, type LogEntry } from '../../protocol';
import { askPerson, type Reply, replyTo, sendReply } from './replies';
import { LiveView } from './live-view';
import { printable, printableJson, printableLine } from '../render/text';
import {
  type CommandLine,
  createEventRenderer,
  joinParts,
  messageText,
  renderAnswerCommands,
  renderQuestion,
  tokensText,
} from '../render/render-parts';
import type { Terminal } from '../render/terminal';

const finishTimeoutMs = 2_000;

/** How a run without criteria ends. */
const usualReason = 'text response';

export type FollowOptions = {
  readonly run: RunHandle;
  readonly terminal: Terminal;
  readonly json: boolean;
  /** Answers to the next questions, in order. After them, the command asks the person. */
  readonly answers: readonly string[];
  readonly command: CommandLine;
  /** The first line to print, before the steps. Without it, the last line does not name the run either. */
  readonly opening?: string;
  /** The log index to begin at, and the number of model turns before it. */
  readonly from?: number;
  readonly turn?: number;
  /** Also shows the text of its model as it comes, and the runs below it. */
  readonly isLive?: boolean;
};

/** So long after the last step, the command looks for what holds the run up; then after twice as long, and so on. */
const firstSilenceMs = 3_000;

/** The attempt after the second failure. */
const worthTelling = 3;

/** Errors of an answer after which the run goes on, or still waits. */
const refusals = ['InvalidAnswer', 'AlreadyAnswered', 'NotWaiting'] as const;

/**
 * Shows a run's steps until it ends or asks something that nobody here can answer. Returns the exit code. Throws the run's error if it
 * fails, and `Interrupted` on Ctrl-C; the run then goes on.
 */
export async function followRun(options: FollowOptions): Promise<number> {
  const { terminal, run, command } = options;
  const silence = new Silence(options);
  let interrupt: (() => void) | undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = terminal.onInterrupt(() => {
      const show = command(['show', run.workflowId]);
      const cancel = command(['cancel', run.workflowId]);
      reject(new Interrupted(`run ${run.workflowId} goes on. See it: ${show}  End it: ${cancel}`));
    });
  });
  if (!options.json && options.opening !== undefined)
    terminal.note(terminal.noteStyle.dim(options.opening));
  try {
    return await Promise.race([followToEnd(options, silence), interrupted]);
  } finally {
    interrupt?.();
    silence.close();
  }
}

async function followToEnd(options: FollowOptions, silence: Silence): Promise<number> {
  const answers = [...options.answers];
  const steps: StepsShown = { before: async () => undefined };
  const before = (turn: number): Promise<void> => steps.before(turn);
  const live = options.isLive === true ? new LiveView({ ...options, before }) : undefined;
  try {
    return await followShown({ ...options, answers }, { live, silence, steps });
  } finally {
    live?.stop();
  }
}

/** The steps before a turn are shown before its text. */
type StepsShown = { before: (turn: number) => Promise<void> };

type Views = {
  readonly live: LiveView | undefined;
  readonly silence: Silence;
  readonly steps: StepsShown;
};

async function followShown(
  options: FollowOptions & { readonly answers: string[] },
  { live, silence, steps }: Views,
): Promise<number> {
  const { run, answers } = options;
  const print = eventPrinter(options, live);
  const show = (event: RunEvent): void => {
    silence.begin();
    print(event);
  };
  let next = options.from ?? 0;
  let turn = options.turn ?? 0;
  const count = (event: RunEvent): void => {
    if (event.entry.kind === 'model-turn') turn += 1;
    show(event);
  };
  const isBefore = (last: number) => (entry: LogEntry) =>
    entry.kind !== 'model-turn' || turn + 1 < last;
  for (;;) {
    const shown = showEvents(run, next, count);
    steps.before = (last) => shown.showWhile(isBefore(last));
    silence.begin();
    let outcome: AgentRunOutcome | undefined;
    try {
      outcome = await run.outcome();
    } finally {
      silence.end();
      await live?.settled(outcome?.kind === 'complete' ? 'end' : 'pause');
      next = await shown.finish();
      silence.end();
    }
    if (outcome.kind === 'complete') return printResult(outcome, options, live);
    const replied = await replyToAll(outcome.pending, answers, options);
    if (!replied) return printPending(outcome, options);
  }
}

/** While no step comes, says what holds the run up: fewer and fewer lines. */
class Silence {
  readonly #options: Pick<FollowOptions, 'run' | 'terminal'>;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: Pick<FollowOptions, 'run' | 'terminal'>) {
    this.#options = options;
  }

  begin(pauseMs = firstSilenceMs): void {
    this.end();
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      void this.#look().then((told) => {
        if (this.#timer !== timer) return;
        if (told !== undefined) this.#options.terminal.note(printableLine(told));
        this.begin(2 * pauseMs);
      });
    }, pauseMs);
    this.#timer = timer.unref();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Steps that come after that begin nothing: after Ctrl-C the run is no longer followed. */
  close(): void {
    this.end();
    this.#isClosed = true;
  }

  /** A call that failed once is nothing to speak of. */
  async #look(): Promise<string | undefined> {
    const why = await this.#options.run.why().catch(() => undefined);
    if (why === undefined) return undefined;
    const { waitsFor, retrying = [], reason, todo } = why;
    if (waitsFor === undefined && !retrying.some(({ attempt }) => attempt >= worthTelling))
      return undefined;
    return todo === undefined ? reason : `${reason} ${todo}`;
  }
}

function eventPrinter(
  options: FollowOptions,
  live: LiveView | undefined,
): (event: RunEvent) => void {
  const { run, terminal, json, turn = 0 } = options;
  if (json) {
    const { workflowId } = run;
    return (event) => terminal.print(printableJson({ kind: 'event', workflowId, ...event }));
  }
  const render = createEventRenderer({ style: terminal.noteStyle, width: terminal.width, turn });
  return (event) => {
    for (const line of render(withoutSaid(event, live))) terminal.note(line);
  };
}

/** Leaves out the text of a turn that is on the screen already. */
function withoutSaid(event: RunEvent, live: LiveView | undefined): RunEvent {
  const { index, entry } = event;
  if (entry.kind !== 'model-turn' || live?.hasSaid(messageText(entry.content)) !== true)
    return event;
  const calls = entry.content.filter(({ type }) => type === 'tool_call');
  return calls.length === 0 ? event : { index, entry: { ...entry, content: calls } };
}

/** False if an input gets no answer that it takes. The inputs after it then stay open, too. */
async function replyToAll(
  pending: readonly PendingInput[],
  answers: string[],
  options: FollowOptions,
): Promise<boolean> {
  for (const input of pending) {
    try {
      const reply = await nextReply(input, answers, options);
      if (reply === undefined) return false;
      await sendReply(options.run, input.inputId, reply);
    } catch (error) {
      if (!refusals.some((code) => hasCode(error, code))) throw error;
      options.terminal.note(printable(messageOf(error)));
      if (hasCode(error, 'InvalidAnswer') && !options.terminal.isInteractive) return false;
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
  { run, terminal, json, opening }: FollowOptions,
  live: LiveView | undefined,
): number {
  const { workflowId } = run;
  const { finalResponse, iterations, usage, completionReason, warnings = [] } = outcome.result;
  if (json) {
    terminal.print(printableJson({ workflowId, ...outcome }));
    return exitCodes.done;
  }
  for (const warning of warnings) terminal.note(`warning: ${printable(warning)}`);
  if (live?.hasSaid(finalResponse.text) !== true) terminal.print(printable(finalResponse.text));
  // In a conversation, a usual answer says by itself how the turn ended.
  const isPlain = opening === undefined && completionReason === usualReason;
  const rounds = iterations === 0 ? undefined : plural(iterations, 'tool round');
  const how = isPlain ? [] : [opening && workflowId, printable(completionReason), rounds];
  const parts = joinParts([...how, tokensText(usage)]);
  if (parts !== '') terminal.note(terminal.noteStyle.dim(parts));
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
  /** Shows at once what has happened, up to the first entry that does not fit. */
  showWhile(fits: (entry: LogEntry) => boolean): Promise<void>;
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
  const showWhile = async (fits: (entry: LogEntry) => boolean): Promise<void> => {
    const from = next;
    for (const [place, entry] of (await run.log({ from })).entries()) {
      const index = from + place;
      if (index < next) continue;
      if (!fits(entry)) return;
      showNext({ index, entry });
    }
  };
  const catchUp = async (): Promise<void> => {
    watching.abort();
    await watched;
    await showWhile(() => true);
  };
  return {
    showWhile: (fits) => withTimeout(showWhile(fits).catch(() => undefined)),
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
