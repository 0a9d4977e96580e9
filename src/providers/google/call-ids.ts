import type { Message } from '../../protocol/message';

/** Not every model and backend gives its calls ids. A made-up one is the same in every attempt and never sent to the API. */
export function madeUpId(call: number): string {
  return `gemini-call-${call}`;
}

export function isMadeUp(callId: string): boolean {
  return /^gemini-call-\d+$/.test(callId);
}

/** Calls so far: where the numbering of a new turn's calls begins. */
export function callCount(messages: readonly Message[]): number {
  return messages.reduce((count, message) => {
    if (message.role !== 'assistant') return count;
    return count + message.parts.filter((part) => part.type === 'tool_call').length;
  }, 0);
}
