import { answer, type Conversation, type Turn } from '../shared/script.mts';

const findings = {
  benefits: 'Quieter streets and cleaner air.',
  risks: 'The grid of the depot may be too weak.',
  cost: JSON.stringify({ amount: '0.9 million euros', basis: 'ten buses with chargers' }),
};

/** What the scripted model says. Which agent it speaks for it sees from the system prompt. */
export function nextTurn({ instructions, input }: Conversation): Turn {
  const [, subject] = /research the (benefits|risks|cost)/.exec(instructions) ?? [];
  return answer(
    subject === undefined ? synthesise(input) : findings[subject as keyof typeof findings],
  );
}

/** From what the researchers found: it stands in the prompt. */
function synthesise(prompt: string): string {
  const found = Object.fromEntries(
    [...prompt.matchAll(/^(\w+): (.+)$/gm)].map(([, name = '', text = '']) => [name, text]),
  );
  return `Yes, for this: ${found['Benefits']} It costs ${found['Cost']}; mind this first: ${found['Risks']}`;
}
