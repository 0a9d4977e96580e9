// A thread of a worker's process. It beats for the open calls while the main thread is blocked.
//
// 1. While the main thread ticks, it reads messages and a number, and nothing else: no connection is open. It has loaded the client
//    before, because that takes too long on a busy machine.
// 2. It imports nothing of ours, because Node runs this file as it is when Longhaul is not built.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { ThreadData, ThreadMessage } from './blocked-loop';

/** The shortest heartbeat timeout is 5 seconds. */
const everyMs = 2_000;

/** After this time the SDK has given up all calls by its own clock, and drops their results. */
const longestMs = 10_000;

type Call = { readonly taskToken: Uint8Array; payload?: Payload };

const { ticks, tickMs, silentMs, server, namespace, identity } = workerData as ThreadData;
const calls = new Map<number, Call>();
const client = import('@temporalio/client');
let connection: Promise<Connection> | undefined;
let seen = 0;
let tickedAt = performance.now();
let beatAt = 0;
let beats: Promise<unknown> = Promise.resolve();

setInterval(() => {
  readMessages();
  const now = performance.now();
  const count = Atomics.load(ticks, 0);
  if (count !== seen) {
    seen = count;
    tickedAt = now;
    disconnect();
  }
  const silence = now - tickedAt;
  if (silence < silentMs || silence > longestMs || now - beatAt < everyMs) return;
  beatAt = now;
  beats = Promise.all([beats, ...[...calls.values()].map(beat)]);
}, tickMs);

function readMessages(): void {
  if (parentPort === null) return;
  for (;;) {
    const received = receiveMessageOnPort(parentPort) as { message: ThreadMessage } | undefined;
    if (received === undefined) return;
    const { message } = received;
    if (message.kind === 'open') calls.set(message.id, { taskToken: message.taskToken });
    else if (message.kind === 'ended') for (const id of message.ids) calls.delete(id);
    else {
      const call = calls.get(message.id);
      if (call !== undefined) call.payload = message.payload;
    }
  }
}

/** A beat that fails is not repeated: the next one comes soon. The server does not know a call that has ended. */
async function beat({ taskToken, payload }: Call): Promise<void> {
  const details = payload && { details: { payloads: [payload] } };
  const request = { namespace, identity, taskToken, ...details };
  try {
    connection ??= connect();
    const open = await connection;
    await open.withDeadline(Date.now() + everyMs, () =>
      open.workflowService.recordActivityTaskHeartbeat(request),
    );
  } catch {
    // See above.
  }
}

async function connect(): Promise<Connection> {
  const { Connection } = await client;
  return Connection.lazy(server);
}

/** Call it after the last beat. A beat that is under way would fail where nobody catches it, and end this thread. */
function disconnect(): void {
  if (connection === undefined) return;
  const [open, last] = [connection, beats];
  connection = undefined;
  last.then(async () => (await open).close()).catch(() => undefined);
}
