// The workflow of a thread: one conversation, by application, user and session.

import type { ThreadInput } from '../protocol/thread';
import { durable } from './durable';
import { ThreadLoop } from './thread/thread-loop';

/** `carried` is what the execution before this one handed over by continue-as-new. */
export async function threadWorkflow(input: ThreadInput, carried?: Uint8Array): Promise<void> {
  await durable(async () => await new ThreadLoop({ input, carried }).run());
}
