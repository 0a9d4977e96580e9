import type { LogEvent } from '../../protocol/log';
import type { Message } from '../../protocol/message';
import { Transcript } from './transcript';

/**
 * Turns the events of a run into its messages. The workflow and the workers both use it. Each call without a result gets an error
 * result, after the results that are there.
 */
export function foldLog(events: readonly LogEvent[]): Message[] {
  const transcript = new Transcript();
  for (const event of events) transcript.apply(event);
  return transcript.fullHistory();
}
