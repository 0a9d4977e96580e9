// The team's own code when the run was parked.
import { z } from 'zod';

export const code = 'old';
export const prompt = 'You are the old prompt. You refund orders.';
export const description = 'Refunds an amount of euros.';
export const input = z.object({ amount: z.number() });
