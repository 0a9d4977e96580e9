// Calls that were made before the schema of their tool changed: `accepts` upgrades them, and without it the model can repair them.

import { z } from 'zod';
import { defineAgent, defineTool, type JsonObject, type Tool } from '../../src';
import type { RunHandle } from '../../src/client';
import type { ToolDefinition } from '../../src/define';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../src/testing';
import { callOf } from './builders';
import { openHarness, type Harness } from './harness';

const inEuros = z.object({ amount: z.number() });
const inCents = z.object({ cents: z.int(), reason: z.string() });
const fits = { cents: 8_000, reason: 'before the change' };

type Options = Partial<
  ToolDefinition<z.ZodObject, Record<string, unknown>, readonly z.ZodObject[]>
>;

describe('a call with arguments of an earlier version', () => {
  let harness: Harness;
  let ran: unknown[];
  beforeAll(async () => {
    harness = await openHarness(undefined, 'accepts');
  });
  beforeEach(() => {
    ran = [];
  });
  afterAll(() => harness.close());

  const refund = (inputSchema: z.ZodObject, options: Options = {}): Tool =>
    defineTool({
      name: 'refund',
      description: 'Pays back',
      inputSchema,
      effect: 'once',
      needsApproval: true,
      ...options,
      execute: (args: Record<string, unknown>) => {
        ran.push(args);
        return 'refunded';
      },
    });

  async function deploy(model: ScriptedModel, tool: Tool): Promise<void> {
    const agent = defineAgent({ id: 'refunds', model: 'scripted/one', tools: [tool] });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
  }

  /** A run that waits with the old tool, when the workers have the new one. */
  async function waiting(after: Options, steps: readonly ScriptedStep[] = ['Done.']) {
    const model = scriptedModel([callOf('refund', { amount: 80 }), ...steps]);
    const before = after.needsApproval === undefined ? {} : { needsApproval: after.needsApproval };
    await deploy(model, refund(inEuros, before));
    const run = await harness.longhaul.start('refunds', 'Go.');
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input' });
    await deploy(model, refund(inCents, after));
    return { run, model };
  }

  const upgrading = (upgrade: (args: JsonObject) => unknown): Options => ({
    accepts: [
      { schema: z.object({ pence: z.number() }), upgrade: () => ({}) },
      { schema: inEuros, upgrade: upgrade },
    ],
  });

  it('runs in the new code, under the digest that was approved, and says so in log and audit', async () => {
    let given: unknown;
    const { run } = await waiting(
      upgrading((args) => {
        given = { ...args };
        const { amount } = args;
        args['amount'] = 0;
        return { cents: Number(amount) * 100, reason: 'before the change' };
      }),
    );
    const [asked] = await run.pending();
    await run.approve('a1.0', { seen: asked?.digest ?? '', by: { id: 'ada' } });
    await run.result();

    expect([given, ran]).toEqual([{ amount: 80 }, [fits]]);
    expect(await run.log()).toContainEqual(
      expect.objectContaining({ kind: 'tool-result', upgraded: JSON.stringify(fits) }),
    );
    expect(await run.audit()).toContainEqual(
      expect.objectContaining({
        verdict: 'approve',
        digest: asked?.digest,
        args: { amount: 80 },
        upgraded: JSON.stringify(fits),
      }),
    );
  });

  it.each<[what: string, upgrade: (args: JsonObject) => unknown, told: string]>([
    [
      'throws',
      () => {
        throw new Error('no rate');
      },
      "'upgrade' of 'accepts' failed: no rate",
    ],
    [
      'loops',
      () => {
        for (;;);
      },
      "'upgrade' of 'accepts' failed: took too long",
    ],
    ['returns what the schema refuses', () => ({ cents: 0.5, reason: '' }), 'cents: '],
    ['returns a promise', () => Promise.resolve(fits), "'upgrade' of 'accepts' made no JSON"],
    ['returns no object', () => 80, "'upgrade' of 'accepts' must return an object"],
    ['returns too much', () => ({ cents: 1, reason: 'x'.repeat(300_000) }), 'made more than'],
  ])('runs nothing if upgrade %s', async (_, upgrade, told) => {
    const { run } = await waiting(upgrading(upgrade));
    await run.approve('a1.0');
    await run.result();
    expect(ran).toEqual([]);
    const text = await resultText(run);
    expect(text).toContain("The arguments of 'refund' do not match its schema");
    expect(text).toContain(told);
  });

  it('is repaired by the model, which gets the deployed schema with the error', async () => {
    const { run, model } = await waiting({}, [callOf('refund', fits), 'Done.']);
    await run.approve('a1.0');
    const outcome = await run.outcome();
    expect(outcome).toMatchObject({ inputId: 'a2.0', call: { args: fits } });
    expect(await resultText(run)).toContain('"required":["cents","reason"]');
    expect(model.requests[1]?.tools[0]?.inputSchema).toHaveProperty('required', ['amount']);
    await run.approve('a2.0');
    await run.result();
    expect(ran).toEqual([fits]);
  });

  it('asks a person about a repaired call, whatever a needsApproval function says', async () => {
    const needsApproval = (args: Record<string, unknown>): boolean => 'amount' in args;
    const { run } = await waiting({ needsApproval }, [
      callOf('refund', { cents: 'all' }),
      callOf('refund', fits),
      'Done.',
    ]);
    await run.approve('a1.0');
    expect(await run.outcome()).toMatchObject({ inputId: 'a3.0', call: { args: fits } });
    expect(ran).toEqual([]);
    await run.approve('a3.0');
    await run.result();
    expect(ran).toEqual([fits]);
  });

  it('is refused without an approval if only another worker takes it', async () => {
    // The worker that made the turn has the old tool: it knows no reason to ask. The call then comes to a worker with the new one.
    const options = { needsApproval: () => true, effect: 'idempotent' as const };
    const model: ScriptedModel = scriptedModel([
      async () => {
        await deploy(model, refund(inCents, options));
        return callOf('refund', fits);
      },
      'Done.',
    ]);
    await deploy(model, refund(inEuros, options));
    const run = await harness.longhaul.start('refunds', 'Go.');
    await run.result();
    expect(await resultText(run)).toContain('- amount');
    expect(ran).toEqual([]);
  });
});

/** The results of all calls, as the model got them. */
async function resultText(run: RunHandle): Promise<string> {
  const log = await run.log();
  return log
    .flatMap((entry) => (entry.kind === 'tool-result' ? entry.result.content : []))
    .map((part) => ('text' in part ? part.text : ''))
    .join('\n');
}
