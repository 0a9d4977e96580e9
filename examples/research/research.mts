import { defineAgent, graph, type Agent, type Graph } from 'longhaul';
import { z } from 'zod';

/** Three researchers at the same time; the synthesiser starts when all three are done, and gets what each of them found. */
export function research(model: string): Graph {
  return graph({
    id: 'research',
    tasks: [
      { id: 'benefits', runner: researcher('benefits', model) },
      { id: 'risks', runner: researcher('risks', model) },
      { id: 'cost', runner: costResearcher(model), maxRetries: 1 },
      {
        id: 'synthesis',
        runner: synthesiser(model),
        dependencies: ['benefits', 'risks', 'cost'],
        prompt: [
          'Question: ${input}',
          'Benefits: ${benefits.output}',
          'Risks: ${risks.output}',
          'Cost: ${cost.structured.amount} (${cost.structured.basis})',
        ].join('\n'),
      },
    ],
  });
}

function researcher(subject: string, model: string): Agent {
  return defineAgent({
    id: `${subject}-researcher`,
    model,
    instructions: `You research the ${subject} of what is asked. Answer in one sentence.`,
  });
}

/** Its answer is JSON, so that a prompt can name a field of it. */
function costResearcher(model: string): Agent {
  return defineAgent({
    id: 'cost-researcher',
    model,
    instructions: 'You research the cost of what is asked.',
    output: { schema: z.object({ amount: z.string(), basis: z.string() }) },
  });
}

function synthesiser(model: string): Agent {
  return defineAgent({
    id: 'synthesiser',
    model,
    instructions: 'Answer the question in two sentences, from what was found and nothing else.',
  });
}
