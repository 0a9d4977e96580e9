// Workflow resets: what becomes of children that wait while the run that called them goes back.

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { activityTool, defineTool, sequential } from '../../src';
import { runCli } from '../../src/cli/run-cli';
import type { RunHandle } from '../../src/client';
import { updateId } from '../../src/client/write/answer-sender';
import { devServerAddress } from '../servers';
import { fakeTerminal } from '../unit/cli/fake-terminal';
import { askUser } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { lastText, scriptedAgents, type Script } from './scripted-agents';

const ask = askUser('Which one?');

describe('a reset', () => {
  let harness: Harness;
  let terminal: ReturnType<typeof fakeTerminal>;
  beforeEach(async () => {
    harness = await openHarness();
    terminal = fakeTerminal();
  });
  const stops: (() => void)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop();
    await harness.close();
  });

  /** A first step that answers, and a second one below which somebody asks. */
  async function startAsking(): Promise<RunHandle> {
    const agents = scriptedAgents();
    const asker = agents.agent('asker', [ask, 'answered'], { askUser: 'tool' });
    const inner = sequential({ id: 'inner', steps: [asker] });
    const last = agents.agent('last', [(request) => `<${lastText(request)}>`]);
    const root = sequential({
      id: 'outer',
      steps: [agents.agent('first', ['first']), inner, last],
      passOutput: true,
    });
    await harness.worker({ runners: [root], providers: { scripted: agents.provider } });
    const run = await harness.longhaul.start(root.id, 'Go');
    await run.outcome();
    return run;
  }

  /** Takes the run back to its n-th workflow task, counted from the end if negative: what that task decided is undone. */
  async function reset({ workflowId }: RunHandle, task: number): Promise<void> {
    const events = await fetchHistory(harness.longhaul, workflowId);
    const completed = events.filter((event) => event.workflowTaskCompletedEventAttributes);
    const workflowTaskFinishEventId = completed.at(task)?.eventId;
    if (!workflowTaskFinishEventId) throw new Error(`the run has no workflow task ${task}`);
    await harness.longhaul.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId },
      reason: 'test',
      requestId: randomUUID(),
      workflowTaskFinishEventId,
    });
  }

  const orphansOf = async ({ workflowId }: RunHandle) =>
    (await harness.longhaul.orphans()).filter(
      ({ callerWorkflowId }) => callerWorkflowId === workflowId,
    );

  async function openBelow({ workflowId }: RunHandle): Promise<string[]> {
    const query = `RootWorkflowId = '${workflowId}' AND ExecutionStatus = 'Running'`;
    const ids: string[] = [];
    for await (const { workflowId } of harness.longhaul.client.workflow.list({ query }))
      ids.push(workflowId);
    return ids;
  }

  it('to before its children starts others, and what the old ones ask is not its own', async () => {
    const run = await startAsking();
    const [before] = await run.pending();
    await reset(run, 0);
    await eventually('the new child asks', async () => (await run.pending()).length > 0);
    const pending = await run.pending();
    expect(pending).toEqual([expect.objectContaining({ path: 'outer/inner/asker' })]);
    expect(pending[0]?.inputId).not.toBe(before?.inputId);
    await run.resume('A');
    expect((await run.result()).finalResponse.text).toBe('<answered>');

    await eventually(
      'the old child is listed alone',
      async () => (await openBelow(run)).length === 2,
    );
    const [orphan, ...others] = await orphansOf(run);
    expect([orphan, others]).toEqual([
      expect.objectContaining({
        agent: 'inner',
        path: 'outer/inner',
        callerWorkflowId: run.workflowId,
      }),
      [],
    ]);
    expect(await runCli(['doctor', '--address', devServerAddress()], terminal)).toBeLessThan(2);
    expect(terminal.printed.join('\n')).toContain(`${orphan?.workflowId} (outer/inner)`);
    expect(await runCli(['cancel', '--orphans', '--address', devServerAddress()], terminal)).toBe(
      0,
    );
    expect(terminal.printed).toContain(`cancelling ${orphan?.workflowId} (outer/inner)`);
    await eventually('all are closed', async () => (await openBelow(run)).length === 0);
    expect(await orphansOf(run)).toEqual([]);
  });

  it('to after its child was started keeps that child, which is answered and gives its result', async () => {
    const run = await startAsking();
    const before = await run.pending();
    await reset(run, -1);
    await eventually('the child is heard', async () => (await run.pending()).length > 0);
    expect(await run.pending()).toEqual(before);
    expect(await orphansOf(run)).toEqual([]);
    await run.resume('A');
    expect((await run.result()).finalResponse.text).toBe('<answered>');
  });

  it('to before a question asks it again, and the answer it had is taken', async () => {
    const agents = scriptedAgents();
    const asker = agents.agent('asker', [ask, ({ messages }) => JSON.stringify(messages)], {
      askUser: 'tool',
    });
    await harness.worker({ runners: [asker], providers: { scripted: agents.provider } });
    const run = await harness.longhaul.start(asker.id, 'Go');
    const ids: (string | undefined)[] = [];
    for (const isAgain of [false, true]) {
      if (isAgain) await reset(run, 1);
      await eventually('it asks', async () => (await run.pending()).length === 1);
      const [input] = await run.pending();
      await run.resume('4711');
      expect((await run.result()).finalResponse.text).toContain('4711');
      const events = await fetchHistory(harness.longhaul, run.workflowId);
      const accepted = events.flatMap(
        (event) => event.workflowExecutionUpdateAcceptedEventAttributes?.protocolInstanceId ?? [],
      );
      ids.push(accepted.at(-1));
      const guesses = Array.from({ length: 10_000 }, (_, pin) =>
        updateId(input?.inputId ?? '', JSON.stringify(String(pin).padStart(4, '0'))),
      );
      expect(guesses.some((guess) => accepted.includes(guess))).toBe(false);
    }
    expect(new Set(ids).size).toBe(2);
  });

  it('of a child whose caller is cancelled later lets both end', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let begun = 0;
    const activities = {
      Linger: async () => {
        begun += 1;
        await released;
      },
    };
    const taskQueue = await harness.activities(activities);
    stops.push(() => release());
    const linger = activityTool({
      name: 'linger',
      description: 'Waits, and does not hear that it is cancelled',
      inputSchema: z.object({}),
      activity: 'Linger',
      taskQueue,
    });
    const agents = scriptedAgents();
    const script: Script = [{ toolCalls: [{ name: 'linger', args: {} }] }, ask, 'answered'];
    const asker = agents.agent('asker', script, { tools: [linger], askUser: 'tool' });
    const root = sequential({ id: 'outer', steps: [asker] });
    await harness.worker({ runners: [root], providers: { scripted: agents.provider } });
    const run = await harness.longhaul.start(root.id, 'Go');
    await eventually('the tool runs', () => begun === 1);
    const [workflowId = ''] = (await run.tree()).children.map((child) => child.workflowId);
    const child = harness.longhaul.run(workflowId);
    await reset(child, 0);
    await eventually('the tool runs again', () => begun === 2);
    await run.cancel('enough');
    // The server asks the execution that the caller started, and that one is gone.
    const isAsked = async (): Promise<boolean> => {
      const events = await fetchHistory(harness.longhaul, run.workflowId);
      return events.some(
        (event) =>
          event.externalWorkflowExecutionCancelRequestedEventAttributes ??
          event.requestCancelExternalWorkflowExecutionFailedEventAttributes,
      );
    };
    await eventually('the child was to be cancelled', isAsked);
    release();
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    await eventually('all are closed', async () => (await openBelow(run)).length === 0);
  });

  it('is not the end for those who wait', async () => {
    const agents = scriptedAgents();
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const begun: string[] = [];
    const slow = defineTool({
      name: 'slow',
      description: 'Waits',
      inputSchema: { type: 'object', properties: {} },
      execute: async ({}, { idempotencyKey }) => {
        begun.push(idempotencyKey);
        await opened;
        return 'done';
      },
    });
    const script: Script = [{ toolCalls: [{ name: 'slow', args: {} }] }, 'finished'];
    const agent = agents.agent('patient', script, { tools: [slow] });
    await harness.worker({ runners: [agent], providers: { scripted: agents.provider } });
    const run = await harness.longhaul.start(agent.id, 'Go');
    const waiting = [run.outcome().then(({ kind }) => kind), run.result().then(() => 'complete')];
    await eventually('the tool runs', () => begun.length === 1);
    await reset(run, -1);
    await eventually('the tool runs again', () => begun.length === 2);
    open();
    expect(await Promise.all(waiting)).toEqual(['complete', 'complete']);
    expect(new Set(begun).size).toBe(1);
  });
});
