import { LonghaulError } from '../protocol/errors';
import type { Message, ToolMessage } from '../protocol/message';
import { callsOf } from '../core/machine/working-turn';

/** Refuses a history no provider would accept: every call needs exactly one result in the next message. */
export function checkHistory(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const next = messages[index + 1];
    if (message.role === 'tool' && messages[index - 1]?.role !== 'assistant')
      throw refused(index, 'holds tool results, but no assistant message stands before it');
    if (message.role !== 'assistant') return;
    if (next?.role === 'assistant')
      throw refused(index + 1, 'is a second assistant message in a row');
    const open = callsOf(message.parts).map(({ callId }) => callId);
    const answered = next?.role === 'tool' ? answeredIds(next) : [];
    const missing = without(open, answered);
    if (missing.length > 0)
      throw refused(
        index,
        `holds calls without a result in the next message: ${missing.join(', ')}`,
      );
    const foreign = without(answered, open);
    if (foreign.length > 0)
      throw refused(index + 1, `holds results of no call before it: ${foreign.join(', ')}`);
  });
}

const answeredIds = (message: ToolMessage): string[] => message.parts.map(({ callId }) => callId);

/** Ids may repeat: each of `taken` removes one. */
function without(ids: readonly string[], taken: readonly string[]): string[] {
  const left = ids.slice();
  for (const id of taken) {
    const at = left.indexOf(id);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

const refused = (index: number, problem: string): LonghaulError =>
  new LonghaulError(
    'ProtocolError',
    `The history cannot be sent to a provider: message ${index} ${problem}. Repair it before starting a run.`,
  );
