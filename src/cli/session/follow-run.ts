import type {
  AgentRunOutcome,
  PendingInput,
  RunEvent,
  RunHandle,
  StreamEvent,
} from '../../client/index';
import { plural } from '../../base';
import { exitCodes, Interrupted, messageOf } from '../exit';
import { hasCode } from '../../protocol';
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
  const over = new AbortController();
  const following = { silence, signal: over.signal, answers: [...options.answers] };
  try {
    return await Promise.race([followToEnd(options, following), interrupted]);
  } finally {
    interrupt?.();
    over.abort();
    silence.close();
  }
}

type Following = {
  readonly silence: Silence;
  /** Ends the following. */
  readonly signal: AbortSignal;
  /** Those that are left. */
  readonly answers: string[];
};

async function followToEnd(options: FollowOptions, following: Following): Promise<number> {
  const { run, isLive = false } = options;
  const { silence, signal } = following;
  const live = isLive ? new LiveView(options) : undefined;
  const print = eventPrinter(options, live);
  const replies = new Replies(options, following.answers);
  let { from = 0, turn = 0 } = options;
  silence.begin();
  try {
    for await (const told of whileServed(run, run.follow({ tree: isLive, log: from, signal }))) {
      if ('entry' in told) {
        silence.begin();
        print(told);
        from = told.index + 1;
        if (told.entry.kind === 'model-turn') turn += 1;
        continue;
      }
      live?.tell(told);
      const asked = askedBy(told, replies);
      if (asked.length === 0) continue;
      silence.end();
      live?.rest();
      if (await replies.toAll(asked)) {
        silence.begin();
        continue;
      }
      const outcome = await run.outcome();
      if (outcome.kind === 'needs-input') return printPending(outcome, options);
    }
  } catch (error) {
    if (!hasCode(error, 'StreamCut')) throw error;
    // Somebody reset the run. What its log has from here on is new, but its stream would tell all again.
    return await followToEnd({ ...options, isLive: false, from, turn }, following);
  }
  const outcome = await run.outcome();
  silence.end();
  if (outcome.kind === 'needs-input') return printPending(outcome, options);
  return printResult(outcome, options, live);
}

/** What a person is asked now: each open input if somebody is here to answer, else all of them once the run does nothing else. */
function askedBy(event: StreamEvent, replies: Replies): readonly PendingInput[] {
  if (event.type === 'paused') return event.pending;
  return event.type === 'input' && replies.mayCome ? [event.input] : [];
}

/**
 * While no worker answers, a stream tells nothing. Then only the server knows that the run has ended, or that nobody serves it, which this
 * throws.
 */
async function* whileServed<Event extends object>(
  run: RunHandle,
  told: AsyncIterable<Event>,
): AsyncGenerator<Event, void, void> {
  const events = told[Symbol.asyncIterator]();
  let ended: Promise<undefined> | undefined;
  for (;;) {
    const next = events.next();
    const first = await Promise.race([next, ended ?? next]);
    if (first === undefined || first.done === true) return;
    const event = first.value;
    ended = 'type' in event && event.type === 'stalled' ? endOf(run) : undefined;
    // The run may go on, and then nobody waits for this any more.
    ended?.catch(() => undefined);
    yield event;
  }
}

async function endOf(run: RunHandle): Promise<undefined> {
  const { kind } = await run.outcome();
  // The stream tells of inputs.
  if (kind === 'needs-input') await new Promise(() => undefined);
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

/** The answers that people here give. */
class Replies {
  readonly #options: FollowOptions;
  readonly #given: string[];
  /** What was answered, as it was asked. */
  readonly #answered = new Set<string>();

  constructor(options: FollowOptions, given: string[]) {
    this.#options = options;
    this.#given = given;
  }

  /** Whether an answer is left, or somebody who may type one. */
  get mayCome(): boolean {
    const { terminal, json } = this.#options;
    return this.#given.length > 0 || (terminal.isInteractive && !json);
  }

  /** False if an input gets no answer that it takes. The inputs after it then stay open, too. */
  async toAll(pending: readonly PendingInput[]): Promise<boolean> {
    for (const input of pending) {
      const asked = JSON.stringify(input);
      if (this.#answered.has(asked)) continue;
      if (!(await this.#to(input))) return false;
      this.#answered.add(asked);
    }
    return true;
  }

  async #to(input: PendingInput): Promise<boolean> {
    const { run, terminal } = this.#options;
    for (;;) {
      try {
        const reply = await this.#next(input);
        if (reply === undefined) return false;
        await sendReply(run, input.inputId, reply);
        return true;
      } catch (error) {
        if (!refusals.some((code) => hasCode(error, code))) throw error;
        terminal.note(printable(messageOf(error)));
        if (!hasCode(error, 'InvalidAnswer')) return true;
        if (!terminal.isInteractive) return false;
      }
    }
  }

  async #next(input: PendingInput): Promise<Reply | undefined> {
    const { terminal, json } = this.#options;
    const given = this.#given.shift();
    if (given === undefined) return this.mayCome ? await askPerson(input, terminal) : undefined;
    if (!json) {
      for (const line of renderQuestion(input, terminal.noteStyle)) terminal.note(line);
    }
    return replyTo(input, given);
  }
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
