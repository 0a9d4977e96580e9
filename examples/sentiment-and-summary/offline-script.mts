import { answer, type Conversation, type Turn } from '../shared/script.mts';

const words = { positive: /\b(?:great|good|fast|like)\b/g, negative: /\b(?:slow|bad|broken)\b/g };

/** What the scripted model says. Which agent it speaks for it sees from the system prompt. */
export function nextTurn({ instructions, input }: Conversation): Turn {
  return answer(instructions.includes('sentiment') ? sentimentOf(input) : summaryOf(input));
}

function sentimentOf(text: string): string {
  const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
  const balance = count(words.positive) - count(words.negative);
  if (balance === 0) return 'neutral';
  return balance > 0 ? 'positive' : 'negative';
}

function summaryOf(text: string): string {
  const [first = text] = text.split('. ');
  return `In short: ${first}.`;
}
