import type { LogEvent } from '../../protocol/log';
import type { Message } from '../../protocol/message';
import { Transcript } from './transcript';

/**
 * The one way from a run's events to its messages, for the workflow and the workers alike. An open tool batch is closed: the
 * results so far, then an error result for every other call.
 */
export function foldLog(events: readonly LogEvent[]): Message[] {
  const transcript = new Transcript();
  for (const event of events) transcript.apply(event);
  return transcript.fullHistory();
}
