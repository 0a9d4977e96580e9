import { answer, calls, resultsOf, type Conversation, type Turn } from '../shared/script.mts';

/** What the scripted model says next: it remembers a name and a room, and asks for the time of a wake-up call. */
export function nextTurn({ input, said, past }: Conversation): Turn {
  const name = lastOf(said, /\bI am (\w+)/);
  const room = lastOf(said, /\broom (\d+)/);
  if (/wake me/i.test(input)) {
    const [time] = resultsOf(past, 'ask_user').slice(-1);
    if (time !== undefined) return answer(`We will wake you in room ${room} at ${time}.`);
    return calls('', { name: 'ask_user', args: { question: 'At what time?' } });
  }
  if (name === undefined) return answer('Welcome. Who may I say is here?');
  return answer(room === undefined ? `Welcome, ${name}.` : `You are ${name}, in room ${room}.`);
}

function lastOf(texts: readonly string[], pattern: RegExp): string | undefined {
  return texts.map((text) => pattern.exec(text)?.[1]).findLast((found) => found !== undefined);
}
