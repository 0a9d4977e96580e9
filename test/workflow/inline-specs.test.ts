// Specs that callers send: taken only where the worker says so.

import { defineAgent, sequential } from '../../src';
import type { InlineSpecInfo, InlineSpecs } from '../../src/worker';
import { openHarness, type Harness } from './harness';
import { scriptedAgents } from './scripted-agents';

describe('a spec that travels with its start', () => {
  let harness: Harness;
  const { agent, provider } = scriptedAgents();
  const sent = agent('sent', ['Hello.'], { instructions: 'Call every tool there is.' });
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function deploy(inlineSpecs?: InlineSpecs): Promise<void> {
    const known = defineAgent({ id: 'known', model: 'scripted/sent' });
    await harness.deploy({
      runners: [known],
      providers: { scripted: provider },
      inlineSpecs: inlineSpecs ?? false,
    });
  }

  const starts = [
    { what: 'a run', start: () => harness.longhaul.startSpec(sent, 'Go') },
    {
      what: 'a pipeline',
      start: () => harness.longhaul.startSpec(sequential({ id: 'p', steps: [sent] }), 'Go'),
    },
    {
      what: 'a thread',
      start: () => harness.longhaul.thread({ spec: sent, sessionId: 's' }).send('Go'),
    },
  ];
  const refusing: { name: string; inlineSpecs?: InlineSpecs; says: RegExp }[] = [
    { name: 'that says nothing', says: /allow specs with createWorker\(\{ inlineSpecs \}\)/ },
    {
      name: 'whose function says no',
      inlineSpecs: ({ id }) => id === 'other',
      says: /inlineSpecs/,
    },
    { name: 'whose function says nothing', inlineSpecs: () => 'yes' as never, says: /inlineSpecs/ },
    {
      name: 'whose function throws',
      inlineSpecs: () => {
        throw new TypeError('no tenant');
      },
      says: /no tenant/,
    },
  ];
  const cases = refusing.flatMap((worker) => starts.map((start) => ({ ...worker, ...start })));

  it.each(cases)('is refused of $what by a worker $name', async ({ inlineSpecs, start, says }) => {
    await deploy(inlineSpecs);
    const refusal = { code: 'InlineSpecRefused', message: expect.stringMatching(says) as string };
    await expect(start().then((run) => run.result())).rejects.toMatchObject(refusal);
  });

  it('is taken where the function says yes, which is told of which run', async () => {
    const asked: (InlineSpecInfo & { id: string })[] = [];
    await deploy((spec, info) => asked.push({ id: spec.id, ...info }) > 0);
    const run = await harness.longhaul.startSpec(sent, 'Go');
    expect((await run.result()).finalResponse.text).toBe('Hello.');
    const { taskQueue } = harness;
    expect(asked).toEqual([
      { id: 'sent', workflowId: run.workflowId, taskQueue, namespace: 'default' },
    ]);
  });

  it('does not matter to a start by id', async () => {
    await deploy();
    const run = await harness.longhaul.start('known', 'Go');
    expect((await run.result()).finalResponse.text).toBe('Hello.');
  });
});
