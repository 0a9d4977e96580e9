// `replay` of a run with children, recorded on the dev server: their ids follow from the run's own.

import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { DeterminismViolationError } from '@temporalio/workflow';
import { subAgent } from '../../src';
import { fetchHistory, replay, type RunHistory } from '../../src/testing';
import { workflowBundlePath } from '../servers';
import { callOf, TestAgents } from './builders';
import { openHarness } from './harness';
import { quietRuntime } from './quiet';

/** The history of a run that called an agent. */
async function record(): Promise<RunHistory> {
  const harness = await openHarness();
  try {
    const agents = new TestAgents();
    const scribe = agents.agent('scribe', ['Written.']);
    agents.agent('manager', [callOf('write', { input: 'this' }), 'Done.'], {
      tools: [subAgent(scribe.agent, { name: 'write', description: 'Writes down' })],
    });
    const { runners, providers } = agents;
    await harness.worker({ runners, providers });
    const run = await harness.longhaul.start('manager', 'Go.');
    await run.result();
    return await fetchHistory(harness.longhaul, run.workflowId);
  } finally {
    await harness.close();
  }
}

describe('replay', () => {
  const workflowBundle = { codePath: workflowBundlePath() };
  let history: RunHistory;
  beforeAll(async () => {
    quietRuntime();
    history = await record();
  });

  it.each([
    { name: 'as fetched', form: () => history },
    { name: 'as exported', form: () => JSON.parse(historyToJSON(history)) as object },
  ])('takes a run with children, $name', async ({ form }) => {
    await expect(replay(form(), { workflowBundle })).resolves.toBeUndefined();
  });

  it('takes the workflow id from its caller where the history does not say it', async () => {
    const [started, ...events] = history.events ?? [];
    const attributes = started?.workflowExecutionStartedEventAttributes;
    const older = {
      events: [
        {
          ...started,
          workflowExecutionStartedEventAttributes: { ...attributes, workflowId: '' },
        },
        ...events,
      ],
    };
    const workflowId = attributes?.workflowId ?? '';
    await expect(replay(older, { workflowBundle, workflowId })).resolves.toBeUndefined();
    await expect(replay(older, { workflowBundle })).rejects.toThrow(DeterminismViolationError);
  });
});
