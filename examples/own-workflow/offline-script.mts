import { answer, calls, resultsOf, type Conversation, type Turn } from '../shared/script.mts';

/** What the scripted model says next. Which agent it speaks for it sees from the tools. */
export function nextTurn({ tools, input, past }: Conversation): Turn {
  const [, facts = input] = /of (.+)\.$|open: (.+)\.$/.exec(input)?.filter(Boolean) ?? [];
  if (!tools.includes('ask_user')) {
    return answer(`You may have missed ${facts}. We would be glad to have it soon.`);
  }
  const [decision] = resultsOf(past, 'ask_user');
  if (decision !== undefined) return answer(`About ${facts}: next comes ${decision}. Call us.`);
  const question = `What is to be done about ${facts}?`;
  const options = ['instalments', 'interest', 'a lawyer'];
  return calls('', { name: 'ask_user', args: { question, options } });
}
