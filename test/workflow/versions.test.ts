// States that another version of Longhaul wrote, on the dev server. The next version is made of this one: it raises each format.

import { readFileSync } from 'node:fs';
import type { CreateWorkerOptions } from '../../src/worker';
import { scriptedModel } from '../../src/testing';
import { defineAgent } from '../../src';
import { workflowBundlePath } from '../servers';
import { askUser } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { continueAsNew } from './history';

const formats = /\b(const (?:format|stateFormat) = )1\b/g;

function nextVersion(): NonNullable<CreateWorkerOptions['workerOptions']> {
  const code = readFileSync(workflowBundlePath(), 'utf8');
  expect(code.match(formats)).toHaveLength(4);
  return { workflowBundle: { code: code.replaceAll(formats, '$12') } };
}

describe('a state of another version', () => {
  const agent = defineAgent({ id: 'patient', model: 'scripted/one', askUser: 'tool' });
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness(undefined, 'versions');
  });
  afterEach(() => harness.close());

  function options(): CreateWorkerOptions {
    const script = [askUser('Which one?'), 'That one.'];
    return { runners: [agent], providers: { scripted: scriptedModel(script) } };
  }

  it('is read by the next version, and waits for it while only this one runs', async () => {
    const workerOptions = nextVersion();
    const given = options();
    const ours = await harness.worker(given);
    const run = await harness.longhaul.start('patient', 'Go.');
    await run.outcome();
    await continueAsNew(harness.longhaul, run);
    await ours.stop();

    const next = await harness.worker({ ...given, workerOptions });
    expect(await run.state()).toMatchObject({ status: 'needs-input' });
    await continueAsNew(harness.longhaul, run);
    await next.stop();

    const oursAgain = await harness.worker(given);
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    await handle.signal('resume', { answer: 'this one' });
    await eventually('a failed workflow task', async () => {
      const { waitsFor } = await harness.longhaul
        .run(run.workflowId, { withoutWorker: true })
        .state();
      return waitsFor?.kind === 'deploy' && waitsFor.cause === 'newer-version';
    });
    expect((await run.why()).todo).toContain('Start workers of that version');
    await oursAgain.stop();

    await harness.worker({ ...given, workerOptions });
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'That one.' } });
  });
});
