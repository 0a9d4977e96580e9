import { Context, type Info } from '@temporalio/activity';
import type { ActivitySerializationContext } from '@temporalio/common';
import { defined, type Json, utf8Length } from '../base';
import { limits, LonghaulError, timeouts } from '../protocol';
import { anySignal } from './any-signal';
import { mayComplete, OpenCall } from './open-calls';
import { untilAborted } from './user-code';

const defaultHeartbeatMs = 10_000;

/** Sends a heartbeat with these details. Later beats of the timer repeat them. Throws `PayloadTooLarge` over `limits.heartbeat`. */
export type Heartbeat = (details?: Json) => void;

/** What an attempt sends to the server before its result. */
export type Beats = {
  readonly heartbeat: Heartbeat;
  /** Stores details without a beat: they go out with the next beat, or when the attempt fails. */
  readonly keep: (details: Json) => void;
  /** Sends the kept details, and waits until the server has them. Rejects if the server does not take them, or wants the attempt to end. */
  readonly tell: () => Promise<void>;
  /**
   * From now on, the attempt does not end at once when the server wants that, as long as the server still takes its result. The work sees
   * it in its signal, and ends by itself. Returns false if the attempt is already about to end.
   */
  readonly stand: () => boolean;
};

/** Beats for open calls while the event loop is blocked. */
export type LoopWatch = {
  /** Whether the loop is or was blocked a moment ago. */
  wasBlocked(): boolean;
  open(taskToken: Uint8Array, context: ActivitySerializationContext): WatchedCall;
};

export type WatchedCall = {
  /** The details for the next beats. A beat without them would make the server forget them. */
  readonly tell: (details: Json) => void;
  readonly end: () => void;
};

/**
 * Runs `work` while a timer sends heartbeats, so that a slow provider does not look like a dead worker. Keeps the details of an earlier
 * attempt. While the loop is blocked, `loopWatch` beats in place of the timer. `signal` aborts when the server wants the attempt to end:
 * soon after a hint, otherwise with the answer to a heartbeat.
 */
export async function withHeartbeat<Result>(
  { loopWatch }: { readonly loopWatch?: LoopWatch },
  work: (signal: AbortSignal, beats: Beats) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  const everyMs = (context.info.heartbeatTimeoutMs ?? defaultHeartbeatMs) / 3;
  const watched = loopWatch?.open(context.info.taskToken, contextOf(context.info));
  const details = new Details(context, watched);
  const timer = setInterval(() => details.beat(), everyMs);
  const call = new OpenCall(context, () => details.tell());
  try {
    if (loopWatch?.wasBlocked() === true) await details.confirm();
    const signal = anySignal([context.cancellationSignal, call.signal]);
    const end = new AttemptEnd(signal);
    const beats: Beats = {
      heartbeat: (latest) => details.beat(latest),
      keep: (latest) => details.keep(latest),
      tell: () => details.tell(),
      stand: () => end.stand(),
    };
    return await untilAborted(() => work(signal, beats), end.signal);
  } catch (error) {
    if (call.signal.aborted && error === call.signal.reason) return await call.leave();
    details.flush();
    throw error;
  } finally {
    call.close();
    clearInterval(timer);
    watched?.end();
  }
}

/** Decides when an attempt ends before its work. */
class AttemptEnd {
  readonly #ended = new AbortController();
  readonly #wish: AbortSignal;
  #stands = false;

  constructor(wish: AbortSignal) {
    this.#wish = wish;
    const follow = (): void => {
      if (!this.#stands || !mayComplete(wish.reason)) this.#ended.abort(wish.reason);
    };
    if (wish.aborted) follow();
    else wish.addEventListener('abort', follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  stand(): boolean {
    this.#stands = !this.#wish.aborted;
    return this.#stands;
  }
}

/** The heartbeat details of an attempt, which the server keeps. */
class Details {
  readonly #context: Context;
  readonly #watched: WatchedCall | undefined;
  #latest: Json | undefined;
  #isSent: boolean;
  #hasBeaten = false;
  #watchedLatest: Json | undefined;

  constructor(context: Context, watched: WatchedCall | undefined) {
    this.#context = context;
    this.#watched = watched;
    this.#latest = (context.info.heartbeatDetails ?? undefined) as Json | undefined;
    this.#isSent = this.#latest === undefined;
    this.#tellWatch();
  }

  keep(latest: Json): void {
    this.#latest = latest;
    this.#isSent = false;
  }

  beat(latest?: Json): void {
    if (latest !== undefined) this.#latest = ownDetails(latest);
    this.#isSent = true;
    this.#hasBeaten = true;
    this.#tellWatch();
    this.#context.heartbeat(this.#latest);
  }

  /** Throws if the server gave the call up while the event loop was blocked: then another attempt is under way. */
  async confirm(): Promise<void> {
    try {
      await this.tell();
    } catch (error) {
      if (error instanceof Error && error.name === 'ActivityNotFoundError') throw error;
    }
  }

  flush(): void {
    if (!this.#isSent) this.beat();
  }

  /** Sends a beat at once, and waits for the server. The SDK holds its own beats back for seconds, and does not report when they arrive. */
  async tell(): Promise<void> {
    const { client, info } = this.#context;
    // The SDK may hold an earlier beat back. It must not replace these details later.
    if (this.#hasBeaten) this.beat();
    else this.#tellWatch();
    await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
      client.activity.heartbeat(info.taskToken, this.#latest, {
        serializationContext: contextOf(info),
      }),
    );
    this.#isSent = true;
  }

  /** Passes only details on that the server gets, because encoding them takes time. */
  #tellWatch(): void {
    if (this.#latest === undefined || this.#latest === this.#watchedLatest) return;
    this.#watchedLatest = this.#latest;
    this.#watched?.tell(this.#latest);
  }
}

function contextOf(info: Info): ActivitySerializationContext {
  const { namespace, activityId, isLocal, workflowExecution } = info;
  const workflowId = workflowExecution?.workflowId;
  return { type: 'activity', namespace, activityId, isLocal, ...defined({ workflowId }) };
}

/** A copy of the details, because the user's code may change them later. The server refuses details that are too large. */
function ownDetails(details: Json): Json {
  const text = JSON.stringify(details);
  const bytes = utf8Length(text);
  if (bytes <= limits.heartbeat) return JSON.parse(text) as Json;
  throw new LonghaulError(
    'PayloadTooLarge',
    `the details of a heartbeat have ${bytes} bytes; at most ${limits.heartbeat} are kept. Store them elsewhere and send a reference`,
  );
}
