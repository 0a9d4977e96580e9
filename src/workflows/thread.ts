// The `thread` workflow: one conversation, by application, user and session.

import type { ThreadInput } from '../protocol/thread';
import { durable } from './durable';
import { ThreadLoop } from './thread-loop';

/** `carried` is what the execution before this one handed over by continue-as-new. */
export async function thread(input: ThreadInput, carried?: Uint8Array): Promise<void> {
  const loop = new ThreadLoop(input, carried);
  await durable(() => loop.run());
}
