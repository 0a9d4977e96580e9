import { defineAgent, type Agent } from 'longhaul';

/** An agent that people talk with. What was said before, it is given by its thread. */
export function conciergeAgent(model: string): Agent {
  return defineAgent({
    id: 'concierge',
    description: 'Helps the guests of a hotel',
    model,
    instructions:
      'You are the concierge of a hotel. Remember what guests tell you of themselves, and answer in one or two sentences.',
    askUser: 'tool',
    memory: { kind: 'full' },
  });
}
