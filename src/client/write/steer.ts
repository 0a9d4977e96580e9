// Sends a message to a run that works. The update id derives from the message id, so a message that somebody sends twice counts once.

import { defined } from '../../base';
import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { readSteer } from '../../core/people/steering';
import {
  type Actor,
  hasEnded,
  LonghaulError,
  type SteerInput,
  type SteerReply,
  updateNames,
} from '../../protocol';
import { placeOf } from '../../server';
import { overExecutions, patiently, uninterrupted } from '../server/calls';
import { checkOptions } from '../server/check-options';
import { asLonghaulError, isNotFound, isUntaken, isUpdateLimit } from '../server/failures';
import { type RunTree, TreeReader } from '../read/run-tree';
import { RunView } from '../read/run-view';
import { inQueue } from './send-queue';
import { requireWorker, whileServed } from '../server/workers';

export type SteerOptions = {
  /**
   * `next` (default): the model gets the message before its next call. `now` also cuts the model call in progress; its answer is lost. A
   * tool is never cut.
   */
  readonly when?: 'next' | 'now';
  /** The path of a run below this one that is open, as `tree()` shows it. */
  readonly path?: string;
  /** Messages with the same id are one message. 1 to 200 characters. Default: random. */
  readonly messageId?: string;
  /** The sender. */
  readonly by?: Actor;
};

const attempts = 5;

export async function steerRun(
  client: Client,
  workflowId: string,
  { text, options }: { readonly text: string; readonly options: SteerOptions },
): Promise<SteerReply> {
  checkOptions('send', options, { when: true, path: true, messageId: true, by: true });
  const { path, messageId = randomUUID(), when, by } = options;
  const message = readSteer({ messageId, text, ...(when && { when }), ...defined({ by }) });
  const target = path === undefined ? workflowId : await openRunAt(client, workflowId, path);
  const view = new RunView(client, target);
  try {
    return await inQueue(client, target, (queue) =>
      whileServed(
        (_, since) =>
          queue.check(async () => {
            const place = placeOf(await view.describe());
            return await requireWorker(client, { ...place, workflowId: target, since });
          }),
        (signal) =>
          queue.take(async () => {
            signal.throwIfAborted();
            return await client.withAbortSignal(signal, () => send(client, target, message));
          }),
      ),
    );
  } catch (error) {
    if (isNotFound(error)) throw closed(target, (await view.state()).status);
    if (isUntaken(error)) throw await view.unanswerable(error);
    throw asLonghaulError(error);
  }
}

async function send(client: Client, workflowId: string, message: SteerInput): Promise<SteerReply> {
  const updateId = `send:${createHash('sha256').update(message.messageId).digest('hex')}`;
  const once = async (): Promise<SteerReply> => {
    try {
      const handle = client.workflow.getHandle(workflowId);
      return await handle.executeUpdate<SteerReply, [SteerInput]>(updateNames.send, {
        updateId,
        args: [message],
      });
    } catch (error) {
      throw isUpdateLimit(error) ? asLonghaulError(error) : error;
    }
  };
  // The server takes only some updates of one run at once.
  return await overExecutions(attempts, () => patiently(() => uninterrupted(once)));
}

async function openRunAt(client: Client, workflowId: string, path: string): Promise<string> {
  const open = openRuns(await new TreeReader(client, {}).read(workflowId));
  const found = open.filter((run) => run.path === path);
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first.workflowId;
  if (first !== undefined)
    throw new LonghaulError(
      'AmbiguousInput',
      `several runs are open at '${path}': send to one of ${found.map((run) => `run('${run.workflowId}')`).join(', ')}`,
    );
  const paths = open.map((run) => `'${run.path}'`).join(', ') || 'none';
  throw new LonghaulError('RunNotFound', `no run is open at '${path}'; open paths: ${paths}`);
}

function openRuns(tree: RunTree): readonly RunTree[] {
  const below = tree.children.flatMap(openRuns);
  return hasEnded(tree.status) ? below : [tree, ...below];
}

function closed(workflowId: string, status: string): LonghaulError {
  return new LonghaulError('RunClosed', `run '${workflowId}' takes no messages: it is ${status}`);
}
