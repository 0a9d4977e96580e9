// The messages that this client sends to one run, a few at a time.
//
// 1. The server has only some updates of one run open at once, and refuses the others. Retries of all callers would keep it busy.
// 2. All callers that wait for one run share one check whether it has a worker.

import type { Client } from '@temporalio/client';
import { limited } from '../server/calls';

/** Half of what the server takes, because other clients send, too. */
const atATime = 5;

type Queue = {
  readonly take: ReturnType<typeof limited>;
  callers: number;
  check: Promise<Date | undefined> | undefined;
};

/** The queues of the runs that somebody sends to now. */
const queues = new WeakMap<Client, Map<string, Queue>>();

export type SendQueue = {
  /** Does the work when its turn comes. */
  readonly take: Queue['take'];
  /** Makes a check for all callers of the run, or waits for the one that is under way. */
  readonly check: (make: () => Promise<Date | undefined>) => Promise<Date | undefined>;
};

export async function inQueue<Answer>(
  client: Client,
  workflowId: string,
  use: (queue: SendQueue) => Promise<Answer>,
): Promise<Answer> {
  const ofClient = queues.get(client) ?? new Map<string, Queue>();
  queues.set(client, ofClient);
  const queue = ofClient.get(workflowId) ?? newQueue();
  ofClient.set(workflowId, queue);
  queue.callers += 1;
  const check: SendQueue['check'] = async (make) => {
    queue.check ??= make().finally(() => (queue.check = undefined));
    return await queue.check;
  };
  try {
    return await use({ take: queue.take, check });
  } finally {
    queue.callers -= 1;
    if (queue.callers === 0) ofClient.delete(workflowId);
  }
}

const newQueue = (): Queue => ({ take: limited(atATime), callers: 0, check: undefined });
