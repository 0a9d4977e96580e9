// A segment of a run: what it does from a message or an answer until it waits for people again, or ends. Browsers' protocols have one
// request for each.

import type { SendOptions, ThreadHandle, TurnHandle } from '../client/index';
import { defined, type Json, type JsonObject } from '../base';
import {
  hasCode,
  type PendingInput,
  type TurnView,
  type UserInput,
  type Verdict,
} from '../protocol';
import type { StreamEvent } from '../core/stream/events';
import { listedInputId } from '../core/people/input-ids';
import { HttpProblem, problemOf } from './problems';
import { isForPeople } from './rights';
import { shownEvent } from './run-report';
import type { Call } from './route';

/** Turns that are looked at to find the one in progress. */
const lastTurns = 100;

const defaultReason = 'A person rejected this call.';

/**
 * A client's answer to an open input. `seen`: the digest of what the person saw. `isOptional`: if the input is decided already, that counts.
 */
export type Reply = { readonly inputId: string; readonly isOptional?: true } & (
  | {
      readonly kind: 'approve';
      readonly args?: JsonObject;
      readonly seen?: string;
      readonly reason?: string;
    }
  | { readonly kind: 'reject'; readonly reason?: string; readonly seen?: string }
  | { readonly kind: 'answer' | 'result'; readonly value: Json }
  | { readonly kind: 'fail'; readonly reason: string }
);

type Paused = Extract<StreamEvent, { readonly type: 'paused' }>;

/** The turn that works or waits; else the next one; else the last one: a client that lost its connection wants the rest of it. */
export async function latestTurn(thread: ThreadHandle): Promise<TurnView | undefined> {
  const turns = await thread.turns({ last: lastTurns });
  return (
    turns.find(({ status }) => status === 'running') ??
    turns.find(({ status }) => status === 'queued') ??
    turns.at(-1)
  );
}

export function isInProgress({ status }: TurnView): boolean {
  return status === 'running' || status === 'queued';
}

export async function turnInProgress(thread: ThreadHandle): Promise<TurnView | undefined> {
  const turn = await latestTurn(thread);
  return turn !== undefined && isInProgress(turn) ? turn : undefined;
}

type Message = Pick<SendOptions, 'messageId' | 'whenBusy' | 'clientTools'> & {
  readonly input: UserInput;
};

/** Sends a message of the principal to its thread, with what the backend adds. */
export async function say(
  call: Call,
  thread: ThreadHandle,
  { input, ...options }: Message,
): Promise<TurnHandle> {
  const { budget, context } = await call.backend();
  return await thread.send(input, {
    ...options,
    ...defined({ budget, context }),
    by: call.actor,
  });
}

/** What a response tells. `gone`: to be aborted when the response is over, also if nobody has read it. */
export type Segment = {
  readonly open: (signal: AbortSignal) => AsyncIterable<StreamEvent>;
  readonly gone?: AbortController;
};

/** A turn from its beginning to its next pause. */
export async function* segmentOf(
  call: Call,
  turn: { readonly workflowId: string; started(): Promise<void> },
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, void> {
  await turn.started();
  const { streams } = call.app;
  const events = streams.open(turn.workflowId, { tree: true, signal });
  yield* untilPause(call, events, async (pause) => {
    const isOver = await isAnswered(call, pause);
    if (isOver) streams.wake(turn.workflowId);
    return isOver;
  });
}

/** Whether somebody has answered since the reader of the run looked, perhaps in another process. If nobody can say, the pause counts. */
async function isAnswered({ app }: Call, { root, pending }: Paused): Promise<boolean> {
  const state = await app.longhaul
    .run(root)
    .state()
    .catch(() => undefined);
  const open = state?.pending.map(({ inputId }) => inputId);
  return open !== undefined && !pending.every(({ inputId }) => open.includes(inputId));
}

/** What to tell of a turn that cannot be told, now or later: it never started, or its run was deleted. Throws all other errors. */
export function goneTurn(error: unknown): HttpProblem {
  if (
    hasCode(error, 'RunCancelled') ||
    hasCode(error, 'RunClosed') ||
    hasCode(error, 'RunNotFound')
  )
    return problemOf(error);
  throw error;
}

type Answering = {
  readonly thread: ThreadHandle;
  /** The open inputs of the thread. */
  readonly open: readonly PendingInput[];
  readonly replies: readonly Reply[];
  /** Gets each event that the client has already. */
  readonly skip: (event: StreamEvent) => void;
};

/**
 * Gives the answers, and returns what comes after what the client has, to be opened once. Throws if one of them is refused. What may be
 * answered, and by whom, the run decides.
 */
export async function answeredSegment(
  call: Call,
  view: TurnView,
  { thread, open, replies, skip }: Answering,
): Promise<Segment> {
  const answered = new Set(replies.map(({ inputId }) => inputId));
  if (answered.size === 0) throw new HttpProblem('NotWaiting');
  const { workflowId: turn } = view;
  if (isInProgress(view)) await sendAgain(call, turn, { thread, open, replies });
  const { streams } = call.app;
  const gone = new AbortController();
  const { signal } = gone;
  const { signal: asked } = call.request;
  if (asked.aborted) gone.abort();
  else asked.addEventListener('abort', () => gone.abort(), { once: true });
  const events = streams.open(turn, { tree: true, signal });
  // An iterator that nobody asks for more would keep the reader of the run.
  signal.addEventListener('abort', () => void events.return(), { once: true });
  try {
    const decided = await skipTo(answered, events, { open, skip });
    for (const reply of replies) {
      const verdict = decided.get(reply.inputId);
      if (verdict === undefined) await send(thread, call, reply);
      else checkSame(reply, verdict);
    }
  } catch (error) {
    await events.return();
    throw error;
  }
  streams.wake(turn);
  // A pause that still waits for what was just answered is the one before.
  const isOver = ({ pending }: Paused): boolean =>
    pending.some(({ inputId }) => answered.has(inputId));
  return { open: () => untilPause(call, events, isOver), gone };
}

/**
 * Sends answers to what is not open. What comes too early is refused here, so that no request waits for what never opens. All other inputs
 * were answered before: by this client, whose connection broke, or by somebody else.
 */
async function sendAgain(
  call: Call,
  turn: string,
  { thread, open, replies }: Pick<Answering, 'thread' | 'open' | 'replies'>,
): Promise<void> {
  const isOpen = (id: string): boolean => open.some(({ inputId }) => inputId === id);
  for (const reply of replies.filter(({ inputId }) => !isOpen(inputId))) {
    try {
      await send(thread, call, reply);
    } catch (error) {
      if (hasCode(error, 'AlreadyAnswered')) continue;
      if (!hasCode(error, 'NotWaiting') || !(await isDecided(call, turn, reply))) throw error;
    }
  }
}

/** Whether a run of the tree has a verdict about it. A thread knows only of answers that it took itself. */
async function isDecided({ app }: Call, turn: string, { inputId }: Reply): Promise<boolean> {
  const audit = await app.longhaul.run(turn).audit();
  return audit.some(
    (entry) =>
      entry.kind === 'verdict' &&
      entry.isVote !== true &&
      listedInputId(entry.workflowId, entry.inputId) === inputId,
  );
}

/** A client whose connection broke sends its answers again. */
function checkSame({ kind, isOptional }: Reply, { verdict }: Verdict): void {
  if (isOptional === true || verdictsOf[kind].includes(verdict)) return;
  throw new HttpProblem(verdict === 'expire' ? 'NotWaiting' : 'AlreadyAnswered');
}

const verdictsOf: Readonly<Record<Reply['kind'], readonly Verdict['verdict'][]>> = {
  approve: ['approve', 'edit'],
  reject: ['reject'],
  answer: ['answer'],
  result: ['complete'],
  fail: ['fail'],
};

/**
 * Reads up to where the inputs that the client answers are open, or were answered before. The client saw a pause there. Returns the verdicts
 * about those that are decided.
 */
async function skipTo(
  answered: ReadonlySet<string>,
  events: AsyncIterator<StreamEvent>,
  { open, skip }: Pick<Answering, 'open' | 'skip'>,
): Promise<ReadonlyMap<string, Verdict>> {
  const left = new Set(answered);
  const decided = new Map<string, Verdict>();
  while (left.size > 0) {
    const next = await events.next();
    if (next.done === true) throw new HttpProblem('NotWaiting');
    const event = forPeople(next.value);
    if (event === undefined) continue;
    if (event.type === 'end' && isLast(event)) throw new HttpProblem('NotWaiting');
    skip(event);
    if (event.type === 'paused') return decided;
    const verdict = verdictIn(event);
    if (verdict !== undefined && left.delete(verdict.inputId))
      decided.set(verdict.inputId, verdict);
    if (event.type !== 'input' || !left.delete(event.input.inputId) || left.size > 0) continue;
    const { root, workflowId, path, agent, position } = event;
    const place = { root, workflowId, path, agent, position };
    skip({ ...place, type: 'paused', pauseSeq: 0, pending: open.filter(isForPeople) });
  }
  return decided;
}

/** The verdict of an event, with the id of its input as lists have it. */
function verdictIn(event: StreamEvent): Verdict | undefined {
  if (event.type !== 'verdict' || event.verdict.isVote === true) return undefined;
  return { ...event.verdict, inputId: listedInputId(event.workflowId, event.verdict.inputId) };
}

/** What comes up to the next pause or the end, without pauses that are over. */
async function* untilPause(
  { principal }: Call,
  events: AsyncIterable<StreamEvent>,
  isOver: (pause: Paused) => boolean | Promise<boolean>,
): AsyncGenerator<StreamEvent, void, void> {
  for await (const each of events) {
    const event = forPeople(each);
    if (event === undefined || (event.type === 'paused' && (await isOver(event)))) continue;
    yield shownEvent(event, principal);
    if (isLast(event)) return;
  }
}

function isLast(event: StreamEvent): boolean {
  return event.type === 'paused' || (event.type === 'end' && event.workflowId === event.root);
}

/** The event as people get it. A pause leaves out what waits for a token, and one that waits for nothing else is none. */
function forPeople(event: StreamEvent): StreamEvent | undefined {
  if (event.type !== 'paused') return event;
  const pending = event.pending.filter(isForPeople);
  return pending.length === 0 ? undefined : { ...event, pending };
}

async function send(thread: ThreadHandle, call: Call, reply: Reply): Promise<void> {
  const { inputId } = reply;
  const by = call.answerer;
  switch (reply.kind) {
    case 'approve': {
      const { args, seen, reason } = reply;
      const note = reason && { note: reason };
      await thread.approve(inputId, { ...by, ...defined({ args }), ...note, ...shown(seen) });
      return;
    }
    case 'reject':
      return await thread.reject(inputId, reply.reason || defaultReason, {
        ...by,
        ...shown(reply.seen),
      });
    case 'answer':
      return await thread.resume(reply.value, { inputId, ...by });
    case 'result':
      return await thread.complete(inputId, reply.value, by);
    case 'fail':
      return await thread.fail(inputId, reply.reason, by);
  }
}

function shown(seen: string | undefined): { readonly seen?: string } {
  return seen === undefined ? {} : { seen };
}

type Asked = Pick<PendingInput, 'inputId' | 'kind'>;

/** What a value of the client means for an input: an answer, or the result of a call. */
export function replyWith({ inputId, kind }: Asked, value: Json): Reply {
  return { inputId, kind: kind === 'tool' ? 'result' : 'answer', value };
}

/** What it means that the client could not do a call, or a person gave no answer. */
export function replyWithout({ inputId, kind }: Asked, reason: string): Reply {
  if (kind === 'tool') return { inputId, kind: 'fail', reason };
  if (kind === 'budget') return { inputId, kind: 'answer', value: 'stop' };
  return kind === 'approval'
    ? { inputId, kind: 'reject', reason }
    : { inputId, kind: 'answer', value: reason };
}
