import {
  answer,
  calls,
  resultsOf,
  type Conversation,
  type PastCall,
  type Turn,
} from '../shared/script.mts';

/** What the scripted model says next. Which agent it speaks for it sees from the tools. */
export function nextTurn({ tools, input, past }: Conversation): Turn {
  if (tools.includes('research')) return manager(input, past);
  return tools.includes('search_notes') ? researcher(past) : writer(input);
}

function manager(input: string, past: readonly PastCall[]): Turn {
  const [facts] = resultsOf(past, 'research');
  if (facts === undefined) return calls('', { name: 'research', args: { input } });
  const [text] = resultsOf(past, 'write');
  return text === undefined
    ? calls('', { name: 'write', args: { input: `${input}\nFacts: ${facts}` } })
    : answer(text);
}

/** Searches, asks where two notes say different things of one subject, and answers with what is left. */
function researcher(past: readonly PastCall[]): Turn {
  const [found] = resultsOf(past, 'search_notes');
  if (found === undefined) {
    return calls('', { name: 'search_notes', args: { words: ['launch:', 'new:', 'price:'] } });
  }
  const facts = toFacts(found);
  const [chosen] = resultsOf(past, 'ask_user');
  const disputed = [...facts].find(([, values]) => values.length > 1);
  if (disputed !== undefined && chosen === undefined) {
    const [subject, options] = disputed;
    const question = `The notes contradict each other about "${subject}". Which one holds?`;
    return calls('', { name: 'ask_user', args: { question, options } });
  }
  const lines = [...facts].map(([subject, [value, other]]) =>
    other === undefined ? `${subject}: ${value}.` : `${subject}: ${chosen}.`,
  );
  return answer(lines.join(' '));
}

/** `plan.txt: Launch: 12 May`, by subject. */
function toFacts(found: string): Map<string, string[]> {
  const facts = new Map<string, string[]>();
  for (const line of found.split('\n')) {
    const [, subject = '', value = ''] = /^\S+: (\w+): (.+)$/.exec(line) ?? [];
    const [gist = ''] = value.split(', says');
    facts.set(subject, [...(facts.get(subject) ?? []), gist]);
  }
  return facts;
}

function writer(input: string): Turn {
  const [, facts = input] = /Facts: ([^]*)/.exec(input) ?? [];
  return answer(`Good news for everybody on the water! ${facts} See you in the harbour.`);
}
