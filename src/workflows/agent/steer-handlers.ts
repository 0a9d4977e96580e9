// Takes messages to a run: by the update `send` from people, and by the signal `steer` from the thread that the run is a turn of.
//
// 1. A known message is a repetition, also after the run has ended: it gets the same reply, and nothing changes.
// 2. The update's validator refuses what it can. A run that is loading knows neither its kind nor its room, so the handler checks again.
// 3. A message of a thread that comes after the request to cancel the run goes back, so that it becomes a turn.
// 4. A refused signal shows in `state.rejected`, as any other does. The result of a thread's turn names the messages that its model got.

import { patched } from '@temporalio/workflow';
import { readSteer, steerMembers } from '../../core/people/steering';
import {
  LonghaulError,
  signalNames,
  type SteerInput,
  type SteerReply,
  updateNames,
} from '../../protocol';
import { knownOf } from '../people/answers';
import { setSignal, setUpdate, whenLoaded } from '../lifecycle/define-handlers';
import type { Execution } from '../lifecycle/execution';
import { giveBack, mayGrow } from '../children/messages';
import type { Steering } from './steering';

/**
 * `isTurn`: the run is a turn of a thread. The thread passes messages on, and may be of a newer version. It takes back messages that come
 * after a cancellation.
 */
export function setSteering(steering: Steering, execution: Execution, isTurn: boolean): void {
  const { phase, cancellation } = execution;
  const isLate = ({ messageId }: SteerInput): boolean =>
    cancellation.isAsked && !steering.isKnown(messageId);
  const check = (message: SteerInput): void => checkMessage(message, steering, execution);
  const take = (message: SteerInput): void => {
    check(message);
    if (!steering.isKnown(message.messageId)) steering.take(message);
  };
  setUpdate<SteerReply>(execution, updateNames.send, {
    take: async (payload) => {
      const message = readSteer(payload);
      if (!phase.isLoaded) await whenLoaded(phase);
      take(message);
      return { messageId: message.messageId };
    },
    check: (payload) => {
      const message = readSteer(payload);
      if (isLate(message))
        throw new LonghaulError('RunClosed', 'the run takes no messages: it is being cancelled');
      check(message);
    },
    description: 'A message to the agent while it works: {messageId, text, when?}',
  });
  setSignal(execution, signalNames.steer, {
    take: async (payload) => {
      const message = readSteer(knownOf(payload, steerMembers, () => isTurn && mayGrow()));
      if (isTurn && isLate(message) && mayGiveBack()) return await giveBack(message.messageId);
      if (!phase.isLoaded) await whenLoaded(phase);
      take(message);
    },
  });
}

/** Whether the turn gives messages back. The first message decides it for the whole history. */
const mayGiveBack = (): boolean => patched('longhaul:messages-come-back');

function checkMessage(
  message: SteerInput,
  steering: Steering,
  { phase, view }: Pick<Execution, 'phase' | 'view'>,
): void {
  if (steering.isKnown(message.messageId)) return;
  if (phase.ended)
    throw new LonghaulError('RunClosed', `the run takes no messages: it is ${phase.status}`);
  if (phase.isLoaded && view.kind !== 'agent')
    throw new LonghaulError(
      'InvalidInput',
      'an orchestration has no model that could read a message: send it to the agent below, by its path',
    );
  steering.checkRoom(message);
}

/** The error for messages that the model has not read when its run ends. */
export function tooLate(unread: readonly SteerInput[]): LonghaulError {
  const ids = unread.map(({ messageId }) => `'${messageId}'`).join(', ');
  return new LonghaulError(
    'RunClosed',
    `the run ended before its model got ${unread.length === 1 ? 'the message' : `${unread.length} messages`} ${ids}`,
  );
}
