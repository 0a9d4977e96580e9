// The team's own code when the run is approved: another prompt, and another schema of the same tool.
import { z } from 'zod';

export const code = 'new';
export const prompt = 'You are the new prompt. You refund orders and say why.';
export const description = 'Refunds an amount of cents, for a reason.';
export const input = z.object({ cents: z.number(), reason: z.string() });
