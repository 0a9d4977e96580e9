import { defineAgent, parallel, type Parallel } from 'longhaul';

/** Both agents get the same text; `combinedText` of the result is the JSON array of their answers. */
export function review(model: string): Parallel {
  const sentiment = defineAgent({
    id: 'sentiment',
    model,
    instructions: 'Name the sentiment of the text in one word: positive, negative or neutral.',
  });
  const summary = defineAgent({
    id: 'summary',
    model,
    instructions: 'Give a summary of the text in one sentence.',
  });
  return parallel({ id: 'sentiment-and-summary', branches: [sentiment, summary] });
}
