import { defineAgent, subAgent, type Agent } from 'longhaul';
import { searchNotes } from './tools.mts';

/** An agent that has others do the work: one that finds the facts, and asks when they contradict each other, and one that writes. */
export function manager(model: string): Agent {
  return defineAgent({
    id: 'manager',
    description: 'Has announcements researched and written',
    model,
    instructions: [
      'You get announcements written. First have all facts researched, in one call.',
      'Then have the text written from these facts, and from nothing else. Answer with that text as it is.',
    ].join(' '),
    tools: [
      subAgent(researcher(model), {
        name: 'research',
        description: 'Finds the facts about a product in the notes of the team.',
        // Whatever tools the researcher is given later: it, and all below it, call no agents.
        policy: { disallowSubAgentCalls: true },
      }),
      subAgent(writer(model), {
        name: 'write',
        description: 'Writes an announcement. Give it all facts: it knows nothing else.',
      }),
    ],
    maxIterations: 6,
  });
}

function researcher(model: string): Agent {
  return defineAgent({
    id: 'researcher',
    model,
    instructions: [
      'Answer from the notes alone: search them for the launch, what is new, and the price.',
      'If they contradict each other, ask the user which one holds: ask_user, with what each says as the options.',
      'Then answer with the facts, one short sentence each.',
    ].join(' '),
    tools: [searchNotes],
    askUser: 'tool',
    inputTimeout: '7 days',
    maxIterations: 6,
  });
}

function writer(model: string): Agent {
  return defineAgent({
    id: 'writer',
    model,
    instructions: 'Write a friendly announcement of at most four sentences. Invent nothing.',
  });
}
