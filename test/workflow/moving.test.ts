// What comes to a run that is about to continue as new, while its last reports are on their way to the run above.

import type { Payload } from '@temporalio/common';
import { defineTool, subAgent } from '../../src';
import type { RunHandle } from '../../src/client';
import { type ChildInputs, type PendingInput, signalNames } from '../../src/protocol';
import { askUser } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory, growHistory } from './history';
import { scriptedAgents } from './scripted-agents';

describe('a run that is about to continue as new', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());

  type Asking = { readonly run: RunHandle; readonly child: RunHandle; readonly firstRunId: string };

  /**
   * A run below another, whose history is long when it asks whether it may pay. `onReport` is called with what it asks as a worker sends a
   * report: the run hears first of what that does, and then that the report has arrived.
   */
  async function ask(
    onReport: (childId: string, inputs: readonly PendingInput[]) => Promise<void>,
  ): Promise<Asking> {
    let childId = '';
    let isGrown = (): void => undefined;
    const grown = new Promise<void>((resolve) => (isGrown = resolve));
    const agents = scriptedAgents();
    const pay = defineTool({
      name: 'pay',
      description: 'Pays',
      inputSchema: { type: 'object' },
      needsApproval: { by: { roles: ['clerk'], approvals: 2 } },
      execute: () => 'paid',
    });
    const below = agents.agent(
      'below',
      [
        askUser('Shall I?'),
        async () => {
          await grown;
          return { toolCalls: [{ name: 'pay', args: {} }] };
        },
        'It is paid.',
      ],
      { askUser: 'tool', tools: [pay] },
    );
    const above = agents.agent(
      'above',
      [{ toolCalls: [{ name: 'ask', args: { input: 'Go' } }] }, 'It is paid.'],
      { tools: [subAgent(below, { name: 'ask', description: 'Asks' })] },
    );
    const seen = new Set<string>();
    const codec = {
      encode: async (payloads: Payload[]) => {
        for (const { data } of payloads) {
          const text = Buffer.from(data ?? []).toString();
          const isReport = childId !== '' && text.startsWith(`{"child":"${childId}"`);
          // A worker that replays the run encodes its reports again.
          if (!isReport || seen.has(text)) continue;
          seen.add(text);
          const { inputs } = JSON.parse(text) as ChildInputs;
          await onReport(childId, inputs);
        }
        return payloads;
      },
      decode: async (payloads: Payload[]) => await Promise.resolve(payloads),
    };
    await harness.worker({
      runners: [above],
      providers: { scripted: agents.provider },
      dataConverter: { payloadCodecs: [codec] },
      clearFailures: true,
    });
    const run = await harness.longhaul.start('above', 'Go');
    await run.outcome();
    await run.resume('Yes.');
    await eventually('it thinks again', () => agents.calls('below') === 2);
    const { children } = await run.tree();
    childId = children[0]?.workflowId ?? '';
    const child = harness.longhaul.run(childId);
    const { runId: firstRunId } = await child.state();
    await growHistory(harness.longhaul, child);
    isGrown();
    return { run, child, firstRunId };
  }

  it('takes all answers with it', async () => {
    const { client } = harness.longhaul;
    const { run, firstRunId, child } = await ask(async (childId, [input]) => {
      if (input === undefined) return;
      const { inputId, votes = [] } = input;
      const by = { id: votes.length === 0 ? 'ada' : 'bob', roles: ['clerk'] };
      const answer = { kind: 'approve', inputId, by };
      await client.workflow.getHandle(childId).signal(signalNames.answer, answer);
    });
    expect((await run.result()).finalResponse.text).toBe('It is paid.');
    expect((await child.state()).runId).not.toBe(firstRunId);
  });

  it('stays where it is if it is halted', async () => {
    const { client } = harness.longhaul;
    const { run, child, firstRunId } = await ask(async (childId, inputs) => {
      if (inputs.length > 0) await client.workflow.getHandle(childId).signal(signalNames.halt);
    });
    await eventually('it knows that its report has arrived', async () => {
      const events = await fetchHistory(harness.longhaul, child.workflowId);
      const completed = events.findLast((event) => event.workflowTaskCompletedEventAttributes);
      const halted = events.findLast((event) => event.workflowExecutionSignaledEventAttributes);
      const reported = events.findLast(
        (event) => event.externalWorkflowExecutionSignaledEventAttributes,
      );
      const ids = [halted, reported, completed].map((event) => Number(event?.eventId));
      return Math.max(...ids) === ids[2];
    });
    expect((await child.state()).runId).toBe(firstRunId);
    await run.cancel('enough');
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled' });
  });
});
