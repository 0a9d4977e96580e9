import { answer, calls, resultsOf, type Conversation, type Turn } from '../shared/script.mts';

/** What the scripted model says next. Which agent it speaks for it sees from the system prompt. */
export function nextTurn({ instructions, input, past }: Conversation): Turn {
  if (!instructions.includes('planner')) return answer(carryOut(input));
  const [audience] = resultsOf(past, 'ask_user');
  if (audience !== undefined) return answer(outline(input, audience));
  const options = ['People who never heard of it', 'People who use it'];
  return calls('', { name: 'ask_user', args: { question: 'Who is it for?', options } });
}

function outline(task: string, audience: string): string {
  return [`Task: ${task}. For: ${audience}.`, '1. Why', '2. How', '3. Where to start'].join('\n');
}

/** One sentence for each step of the plan. */
function carryOut(plan: string): string {
  const [, subject = 'it'] = /about (.+?)\. For/.exec(plan) ?? [];
  const steps = [...plan.matchAll(/^\d\. (.+)$/gm)].map(([, step = '']) => step);
  return steps.map((step) => `${step}: what to know about ${subject}.`).join(' ');
}
