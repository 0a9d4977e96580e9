// Streams of runs. One follower for each run, for any number of streams; one more if some want the runs below it and others do not.

import type { Client } from '@temporalio/client';
import { defined } from '../../base';
import { LonghaulError } from '../../protocol';
import type { Deltas } from '../../stores/index';
import type { StreamEvent } from '../../core/stream/events';
import { checkOptions } from '../server/check-options';
import { decodePosition, type Places } from './position';
import { RunFollower } from './run-follower';
import { sourceOf } from './run-source';
import { StreamCursor, type Told, wasClosed } from './stream-cursor';

export type StreamOptions = {
  /** Also the runs below it, at any depth. Default false. */
  readonly tree?: boolean;
  /** The `position` of the last event that you have. Default: from the beginning. */
  readonly from?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
};

export type FollowOptions = Pick<StreamOptions, 'tree' | 'signal'> & {
  /** The index of the first entry to yield. Default 0. */
  readonly log?: number | undefined;
};

type Opened = Pick<StreamOptions, 'signal'> & {
  readonly tree: boolean;
  readonly places: Places;
  readonly log?: number;
};

type Shared = {
  readonly key: string;
  readonly follower: RunFollower;
  streams: number;
  linger?: NodeJS.Timeout;
};

/** A follower that nobody needs any more goes on for so long: a browser that reloads needs it again. */
const lingerMs = 5_000;

export class RunStreams {
  readonly #client: Client;
  readonly #deltas: Deltas | undefined;
  readonly #shared = new Map<string, Shared>();
  #isClosed = false;

  constructor(client: Client, deltas?: Deltas) {
    this.#client = client;
    this.#deltas = deltas;
  }

  /**
   * The events of a run, from its beginning or a position, until it ends. Throws `InvalidInput` for a position of another run, `RunNotFound`,
   * and `StreamCut` if the run is reset: then open it again. While no worker or no server answers, it yields `stalled` and waits.
   */
  open(workflowId: string, options: StreamOptions = {}): AsyncGenerator<StreamEvent, void, void> {
    checkOptions('stream', options, { tree: true, from: true, signal: true });
    const { tree = false, from, signal } = options;
    checkTree(tree);
    const places: Places = from === undefined ? new Map() : decodePosition(workflowId, from);
    const opened = { tree, places, ...defined({ signal }) };
    return this.#told(workflowId, opened) as AsyncGenerator<StreamEvent, void, void>;
  }

  /** Like `open`, from the beginning, with the entries of the run's own log in between. */
  follow(
    workflowId: string,
    { tree = false, log = 0, signal }: FollowOptions = {},
  ): AsyncGenerator<Told, void, void> {
    checkTree(tree);
    const opened = { tree, places: new Map(), log: Math.max(0, log), ...defined({ signal }) };
    return this.#told(workflowId, opened);
  }

  /** Looks at a run at once: somebody has just answered it. */
  wake(workflowId: string): void {
    for (const { follower } of this.#shared.values()) {
      if (follower.reads(workflowId)) follower.wake(workflowId);
    }
  }

  /** Ends all streams with `StreamCut`. */
  close(): void {
    this.#isClosed = true;
    for (const shared of [...this.#shared.values()]) this.#stop(shared);
  }

  async *#told(
    workflowId: string,
    { tree, signal, ...from }: Opened,
  ): AsyncGenerator<Told, void, void> {
    if (this.#isClosed) throw wasClosed();
    const shared = this.#enter(workflowId, tree);
    const { follower } = shared;
    const cursor = new StreamCursor(follower, from);
    follower.wake(workflowId);
    try {
      while (signal?.aborted !== true) {
        const event = cursor.next();
        if (event !== undefined) yield event;
        else if (cursor.hasEnded) return;
        else await follower.changed(signal);
      }
    } finally {
      cursor.close();
      this.#leave(shared);
    }
  }

  #enter(workflowId: string, tree: boolean): Shared {
    const key = `${tree ? 'tree' : 'run'}:${workflowId}`;
    let shared = this.#shared.get(key);
    if (shared === undefined) {
      const made = { key, follower: this.#follower(workflowId, tree), streams: 0 };
      this.#shared.set(key, made);
      void made.follower.follow().then(() => this.#forget(made));
      shared = made;
    }
    clearTimeout(shared.linger);
    shared.streams += 1;
    return shared;
  }

  #follower(workflowId: string, tree: boolean): RunFollower {
    return new RunFollower(workflowId, {
      sourceOf: (id) => sourceOf(this.#client, id),
      deltas: this.#deltas,
      tree,
    });
  }

  #leave(shared: Shared): void {
    shared.streams -= 1;
    if (shared.streams > 0) return;
    shared.linger = setTimeout(() => this.#stop(shared), lingerMs);
    shared.linger.unref();
  }

  #stop(shared: Shared): void {
    clearTimeout(shared.linger);
    this.#forget(shared);
    shared.follower.stop(wasClosed());
  }

  #forget(shared: Shared): void {
    if (this.#shared.get(shared.key) === shared) this.#shared.delete(shared.key);
  }
}

function checkTree(tree: unknown): void {
  if (typeof tree !== 'boolean')
    throw new LonghaulError('InvalidInput', 'tree must be true or false');
}
