import { defineAgent, type Agent } from 'longhaul';
import { travelTools } from './tools.mts';

/** An agent that plans trips. The traveller picks the train and approves the ticket; a manager approves hotels. */
export function travelAgent(model: string): Agent {
  return defineAgent({
    id: 'travel',
    description: 'Plans business trips',
    model,
    instructions: [
      'You plan business trips. Find trains first, and ask with options which one to take. Then book it.',
      'Book a hotel only when asked. A person may change or reject a booking; that is final.',
      'Answer in a few sentences, except if somebody wants to read about a city.',
    ].join(' '),
    tools: travelTools,
    askUser: 'tool',
    memory: { kind: 'full' },
    maxIterations: 8,
  });
}
