// A call waits for approval, and workers with another schema of its tool come: whoever looks at the call is told.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defineAgent, defineTool, subAgent, type Tool } from '../../src';
import type { InboxItem, RunHandle } from '../../src/client';
import { scriptedModel, type ScriptedModel } from '../../src/testing';
import { callOf } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness, type RunningWorker } from './harness';

const inEuros = z.object({ amount: z.number() });
const inCents = z.object({ cents: z.int(), reason: z.string() });
const accepts = [
  {
    schema: inEuros,
    upgrade: ({ amount }: { amount: number }) => ({ cents: amount * 100, reason: '' }),
  },
] as const;

function refund(
  inputSchema: z.ZodObject,
  options: { readonly accepts?: typeof accepts } = {},
): Tool {
  return defineTool({
    name: 'refund',
    description: 'Pays back',
    inputSchema,
    needsApproval: true,
    ...options,
    execute: (args: Record<string, unknown>) => JSON.stringify(args),
  });
}

describe('an approval that a deploy has made outdated', () => {
  const id = `refunds-${randomUUID().slice(0, 8)}`;
  let harness: Harness;
  let worker: RunningWorker | undefined;
  let model: ScriptedModel;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function deploy(tool: Tool): Promise<void> {
    await worker?.stop();
    const child = defineAgent({ id: `${id}-child`, model: 'scripted/one', tools: [tool] });
    const runners = [
      defineAgent({ id, model: 'scripted/one', tools: [tool] }),
      defineAgent({
        id: `${id}-root`,
        model: 'scripted/one',
        tools: [subAgent(child, { name: 'payer', description: 'Pays back' })],
      }),
    ];
    worker = await harness.worker({ runners, providers: { scripted: model } });
  }

  const listed = async (run: RunHandle): Promise<readonly InboxItem[]> => {
    const found: InboxItem[] = [];
    for await (const item of harness.longhaul.inbox({ whole: true }))
      if (item.workflowId === run.workflowId) found.push(item);
    return found;
  };

  it('says so wherever the call is shown, takes an edit by the new schema, and no edit by the old one', async () => {
    model = scriptedModel([
      callOf('refund', { amount: 80 }),
      callOf('payer', { input: 'Go.' }),
      callOf('refund', { amount: 80 }),
      'Done.',
    ]);
    await deploy(refund(inEuros));
    const run = await harness.longhaul.start(id, 'Go.');
    await run.outcome();
    const tree = await harness.longhaul.start(`${id}-root`, 'Go.');
    const asked = await tree.outcome();
    const [fresh] = await run.pending();
    expect(fresh).not.toHaveProperty('outdated');
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    const { historyLength } = await handle.describe();

    await deploy(refund(inCents));
    const outdated = expect.stringMatching(/cents.*reason/) as string;
    const schema = { required: ['cents', 'reason'] };
    expect(await run.pending()).toMatchObject([{ outdated, schema, digest: fresh?.digest }]);
    expect((await run.state()).pending).toMatchObject([{ outdated }]);
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input', outdated });
    expect(await tree.pending()).toMatchObject([{ outdated, path: `${id}-root/payer` }]);
    await eventually('the inbox to list it', async () => (await listed(run)).length > 0);
    expect(await listed(run)).toMatchObject([{ outdated }]);
    const metadata = await handle.query<{ currentDetails?: string }>(
      '__temporal_workflow_metadata',
    );
    expect(metadata.currentDetails).toMatch(/Outdated: the deployed tool refuses it: .*cents/);
    expect((await handle.describe()).historyLength).toBe(historyLength);
    await expect(run.approve('a1.0', { args: { amount: 70 } })).rejects.toMatchObject({
      code: 'InvalidAnswer',
    });

    await deploy(refund(inCents, { accepts }));
    expect((await run.pending())[0]).toEqual(fresh);

    await deploy(refund(inCents));
    await run.approve('a1.0', { args: { cents: 7_000, reason: 'broken' } });
    await run.result();
    expect(await run.log()).toContainEqual(
      expect.objectContaining({
        result: expect.objectContaining({
          isError: false,
          content: [{ type: 'text', text: '{"cents":7000,"reason":"broken"}' }],
        }) as unknown,
      }),
    );
    expect(asked).toMatchObject({ kind: 'needs-input' });
    await tree.cancel('over');
  });
});
