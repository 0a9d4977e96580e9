// A test with faults: a model that is overloaded, a bank that hangs up, and a person who takes six days. It needs moments.
import { defineAgent, defineTool, ProviderError } from 'longhaul';
import { createTestEnvironment, scriptedModel } from 'longhaul/testing';
import { z } from 'zod';

const minute = 60_000;
const transfers: string[] = [];

const transfer = defineTool({
  name: 'transfer',
  description: 'Pays an invoice',
  inputSchema: z.object({ invoice: z.string() }),
  effect: 'once', // never a second try, also after a crash
  needsApproval: true,
  execute: ({ invoice }) => {
    transfers.push(invoice);
    throw new Error('the bank hung up');
  },
});

const payer = defineAgent({
  id: 'payer',
  model: 'openai/gpt-6.1-terra',
  tools: [transfer],
  inputTimeout: '7 days',
});

it('never pays twice, whatever fails', async () => {
  const model = scriptedModel([
    { error: new ProviderError('rate_limited', 'slow down', { retryAfterMs: 10 * minute }) },
    { toolCalls: [{ name: 'transfer', args: { invoice: '2026-041' } }] },
    { error: new ProviderError('unavailable', 'try again') },
    'The invoice is not paid: the bank hung up.',
  ]);
  const test = await createTestEnvironment({ runners: [payer], providers: { openai: model } });
  try {
    const began = await test.now();
    const run = await test.client.start(payer, 'Pay invoice 2026-041.');
    const asked = await test.outcome(run);
    expect(asked).toMatchObject({ kind: 'needs-input', path: 'payer' });
    expect(Number(await test.now()) - Number(began)).toBeGreaterThanOrEqual(10 * minute);

    await test.skip('6 days');
    const [input] = await run.pending();
    await run.approve(input?.inputId ?? '');

    expect(await test.outcome(run)).toMatchObject({ kind: 'complete' });
    expect(JSON.stringify(model.requests.at(-1))).toContain('the bank hung up');
    expect(transfers).toEqual(['2026-041']);
    model.assertConsumed();
  } finally {
    await test.close();
  }
});
