// Beats for open calls while the event loop of this process is blocked, as by a tool that computes for seconds.
//
// The SDK beats only when JavaScript asks it to. So a second thread watches whether the main thread still ticks. If it is silent, the
// thread connects to the server and beats with the last details of the main thread (docs/adr/0027).

import path from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import type {
  ActivitySerializationContext,
  LoadedDataConverter,
  Payload,
} from '@temporalio/common';
import type { NativeConnectionOptions, WorkerOptions } from '@temporalio/worker';
import type { LoopWatch, WatchedCall } from '../activities';
import type { Json } from '../base';
import { defaults } from '../protocol';
import { sdkPart } from '../server';

/** How the thread reaches the server that the worker is connected to. */
export type BeatServer = Pick<NativeConnectionOptions, 'address' | 'tls' | 'metadata' | 'apiKey'>;

export type BeatOptions = Pick<WorkerOptions, 'namespace' | 'dataConverter'> & {
  readonly identity: string;
  /** Undefined if the worker's connection was made elsewhere: then nothing beats while the loop is blocked. */
  readonly server: BeatServer | undefined;
};

/** What the thread gets at its start. */
export type ThreadData = Required<Pick<WorkerOptions, 'namespace' | 'identity'>> & {
  readonly server: BeatServer;
  /** A counter that grows while the main thread runs. */
  readonly ticks: Int32Array;
  readonly tickMs: number;
  readonly silentMs: number;
};

export type ThreadMessage =
  | { readonly kind: 'open'; readonly id: number; readonly taskToken: Uint8Array }
  | { readonly kind: 'details'; readonly id: number; readonly payload: Payload }
  | { readonly kind: 'ended'; readonly ids: readonly number[] };

const tickMs = 250;

/** A main thread that does not tick for this time is blocked. */
const silentMs = 1_000;

const file = path.join(__dirname, `blocked-loop-thread${path.extname(__filename)}`);

export class BlockedLoop implements LoopWatch {
  readonly #options: BeatOptions;
  readonly #ticks = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #converter: LoadedDataConverter | undefined;
  #thread: Thread | undefined;
  #ticker: NodeJS.Timeout | undefined;
  #tickedAt = 0;
  #blockedUntil = -Infinity;
  #calls = 0;
  #ended: number[] = [];

  constructor(options: BeatOptions) {
    this.#options = options;
  }

  wasBlocked(): boolean {
    const now = performance.now();
    const isTicking = this.#ticker !== undefined;
    return now - this.#blockedUntil < silentMs || (isTicking && now - this.#tickedAt > silentMs);
  }

  open(taskToken: Uint8Array, context: ActivitySerializationContext): WatchedCall {
    this.#start();
    this.#calls += 1;
    const id = this.#calls;
    // A copy, because a view travels with all that is in its buffer.
    this.#post({ kind: 'open', id, taskToken: new Uint8Array(taskToken) });
    return {
      tell: (details) => void this.#tell(id, details, context),
      // The thread learns it with the next tick, because until then the result may still be on its way.
      end: () => void this.#ended.push(id),
    };
  }

  /** Ends the thread. It starts again with the next call. */
  async close(): Promise<void> {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    await this.#thread?.terminate();
    this.#thread = undefined;
  }

  #start(): void {
    if (this.#ticker !== undefined) return;
    this.#tickedAt = performance.now();
    this.#ticker = setInterval(() => this.#tick(), tickMs).unref();
    const { server, namespace = defaults.namespace, identity } = this.#options;
    if (server === undefined) return;
    const shared = { ticks: this.#ticks, tickMs, silentMs };
    const workerData: ThreadData = { server, namespace, identity, ...shared };
    const thread = new Thread(file, { workerData, execArgv: [], name: 'longhaul beats' });
    // It never keeps the process alive, and never ends it.
    thread.unref();
    thread.once('error', ({ message }) => {
      this.#thread = undefined;
      process.emitWarning(
        `Longhaul's thread for heartbeats ended: ${message}. A tool that blocks the event loop may now be called twice`,
      );
    });
    this.#thread = thread;
  }

  #tick(): void {
    const now = performance.now();
    if (now - this.#tickedAt > silentMs) this.#blockedUntil = now;
    this.#tickedAt = now;
    Atomics.add(this.#ticks, 0, 1);
    if (this.#ended.length === 0) return;
    this.#post({ kind: 'ended', ids: this.#ended });
    this.#ended = [];
  }

  async #tell(id: number, details: Json, context: ActivitySerializationContext): Promise<void> {
    if (this.#thread === undefined) return;
    try {
      this.#converter ??= sdkPart('loadDataConverter')(this.#options.dataConverter);
      const { metadata, data } = await sdkPart('encodeToPayload')(
        this.#converter,
        details,
        context,
      );
      const payload = { metadata: metadata ?? {}, data: new Uint8Array(data ?? []) };
      this.#post({ kind: 'details', id, payload });
    } catch {
      // The SDK encodes the same details. It reports the problem, and ends the attempt.
    }
  }

  #post(message: ThreadMessage): void {
    this.#thread?.postMessage(message);
  }
}
