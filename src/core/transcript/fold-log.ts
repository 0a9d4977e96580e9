import type { LogEvent } from '../../protocol/log';
import type { Message } from '../../protocol/message';
import type { ReadsOnly } from './prompt-view';
import { Transcript } from './transcript';

/**
 * Turns the events of a run into the messages that its model gets. The workflow and the workers both use it. Each call without a result
 * gets an error result, after the results that are there. `readsOnly`: which tools may be called again for a result that was cleared.
 */
export function foldLog(events: readonly LogEvent[], readsOnly?: ReadsOnly): Message[] {
  return transcriptOf(events).fullHistory(readsOnly);
}

/** All messages of a run, with those that a summary or a cleared result leaves out of prompts. */
export function allMessages(events: readonly LogEvent[]): Message[] {
  return transcriptOf(events).everything();
}

export function transcriptOf(events: readonly LogEvent[]): Transcript {
  const transcript = new Transcript();
  for (const event of events) transcript.apply(event);
  return transcript;
}
