// The team's own code when the run is approved: another prompt, and another schema of the same tool.
import { z } from 'zod';

export const code = 'new';
export const prompt = 'You are the new prompt. You refund orders and say why.';
export const description = 'Refunds an amount of cents, for a reason.';
export const input = z.object({ cents: z.number(), reason: z.string() });
/** What a team adds that uses `accepts`: how the arguments of the code before become those of this one. */
export const accepts = [
  {
    schema: z.object({ amount: z.number() }),
    upgrade: ({ amount }) => ({
      cents: Math.round(amount * 100),
      reason: 'asked before the change',
    }),
  },
];
