// Takes messages to a run: by the update `send` from people, and by the signal `steer` from the thread that the run is a turn of.
//
// 1. A known message is a repetition, also after the run has ended: it gets the same reply, and nothing changes.
// 2. The update's validator refuses what it can. A run that is loading knows neither its kind nor its room, so the handler asks again.
// 3. A message of a thread that comes after the request to cancel the run goes back, so that it becomes a turn.
// 4. A refused signal shows in `state.rejected`, as any other does. The result of a thread's turn names the messages that its model got.

import { defineUpdate, patched, setHandler } from '@temporalio/workflow';
import { readSteer, steerMembers } from '../../core/people/steering';
import { LonghaulError } from '../../protocol/errors';
import { signalNames, updateNames } from '../../protocol/names';
import type { SteerInput, SteerReply } from '../../protocol/run';
import { toWorkflowFailure } from '../durable';
import { knownOf } from '../people/answers';
import type { Execution } from '../lifecycle/execution';
import { setSignal, validating, whenLoaded } from '../lifecycle/handlers';
import { giveBack, mayGrow } from '../children/messages';
import type { PendingRequests } from '../people/pending-requests';
import type { Steering } from './steering';

/** `isTurn`: of a thread, which passes messages on and may be of a newer version. It takes back those that come after a cancellation. */
export function setSteering(steering: Steering, execution: Execution, isTurn: boolean): void {
  const { requests } = execution;
  setHandler(
    defineUpdate<SteerReply, [unknown]>(updateNames.send),
    async (payload) => {
      requests.countUpdate();
      try {
        const message = readSteer(payload);
        if (!requests.isLoaded) await whenLoaded(requests);
        take(message, steering, requests);
        return { messageId: message.messageId };
      } catch (error) {
        throw toWorkflowFailure(error);
      }
    },
    {
      validator: validating((payload) => {
        const message = readSteer(payload);
        if (execution.isCancelling && !steering.isKnown(message.messageId))
          throw new LonghaulError('RunClosed', 'the run takes no messages: it is being cancelled');
        check(message, steering, requests);
      }),
      description: 'A message to the agent while it works: {messageId, text, when?}',
    },
  );
  setSignal(execution, signalNames.steer, {
    take: async (payload) => {
      const message = readSteer(knownOf(payload, steerMembers, () => isTurn && mayGrow()));
      const { messageId } = message;
      if (isTurn && execution.isCancelling && !steering.isKnown(messageId) && mayGiveBack())
        return await giveBack(messageId);
      if (!requests.isLoaded) await whenLoaded(requests);
      take(message, steering, requests);
    },
  });
}

/** Whether the turn was to give messages back when it was first told of one. */
const mayGiveBack = (): boolean => patched('longhaul:messages-come-back');

function take(message: SteerInput, steering: Steering, requests: PendingRequests): void {
  check(message, steering, requests);
  if (!steering.isKnown(message.messageId)) steering.take(message);
}

function check(message: SteerInput, steering: Steering, requests: PendingRequests): void {
  if (steering.isKnown(message.messageId)) return;
  if (requests.ended)
    throw new LonghaulError('RunClosed', `the run takes no messages: it is ${requests.status}`);
  if (requests.isLoaded && !steering.isOpen)
    throw new LonghaulError(
      'InvalidInput',
      'an orchestration has no model that could read a message: send it to the agent below, by its path',
    );
  steering.checkRoom(message);
}

/** A run ends with messages that its model has not read. */
export function tooLate(unread: readonly SteerInput[]): LonghaulError {
  const ids = unread.map(({ messageId }) => `'${messageId}'`).join(', ');
  return new LonghaulError(
    'RunClosed',
    `the run ended before its model got ${unread.length === 1 ? 'the message' : `${unread.length} messages`} ${ids}`,
  );
}
