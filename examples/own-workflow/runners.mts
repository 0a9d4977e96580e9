import { defineAgent, type Agent } from 'longhaul';

/** The agents of the workflow. It names them by id. */
export function runners(model: string): readonly Agent[] {
  const reminder = defineAgent({
    id: 'reminder',
    model,
    instructions:
      'Write a friendly letter of two sentences that reminds a customer of an open invoice.',
  });
  const advisor = defineAgent({
    id: 'advisor',
    model,
    instructions: [
      'Ask the accountant what is to be done about an open invoice: ask_user, with the options instalments, interest, lawyer.',
      'Then write the letter to the customer that says so, in two sentences.',
    ].join(' '),
    askUser: 'tool',
    inputTimeout: '7 days',
  });
  return [reminder, advisor];
}
