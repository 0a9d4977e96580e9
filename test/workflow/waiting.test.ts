// Who waits for a run, on servers that refuse long polls, and on one that goes away and comes back. No retries of the SDK's hide it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { defineAgent } from '../../src';
import { connect, type Longhaul } from '../../src/client';
import type { OutcomeReply } from '../../src/protocol/run';
import { startDevServer } from '../../src/testing';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { devServerAddress } from '../servers';
import { eventually } from './eventually';
import { openHarness } from './harness';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;

const longPolls =
  /\/(UpdateWorkflowExecution|PollWorkflowExecutionUpdate|GetWorkflowExecutionHistory)$/;
const resourceExhausted = 8;

const asker = defineAgent({ id: 'asker', model: 'scripted/one', askUser: 'tool' });
const talker = defineAgent({ id: 'talker', model: 'scripted/talk' });
const asks = { toolCalls: [{ name: 'ask_user', args: { question: 'Go on?' } }] };

/** A call that the server answers with a status at once. */
function endedCall(code: number): Call {
  const nothing = (): void => undefined;
  return {
    start: (metadata: Parameters<Call['start']>[0], listener: Parameters<Call['start']>[1]) => {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.({ code, details: 'namespace concurrent poller limit', metadata });
    },
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    startRead: nothing,
    halfClose: nothing,
    cancelWithStatus: nothing,
  } as unknown as Call;
}

/** Tells what the client calls; `refuses` says which call, counted from 1, is refused. */
async function connectThrough(
  address: string,
  taskQueue: string,
  refuses: (call: number) => boolean = () => false,
): Promise<{ longhaul: Longhaul; calls: string[]; close(): Promise<void> }> {
  const calls: string[] = [];
  const interceptor: Interceptor = (options, nextCall) => {
    const { path } = options.method_definition;
    if (!longPolls.test(path)) return nextCall(options) as Call;
    calls.push(path.slice(path.lastIndexOf('/') + 1));
    return refuses(calls.length) ? endedCall(resourceExhausted) : (nextCall(options) as Call);
  };
  const connection = await Connection.connect({ address, interceptors: [interceptor] });
  const longhaul = await connect({ connection, taskQueue });
  return { longhaul, calls, close: () => connection.close() };
}

/** A model whose first call waits until it is let go. */
function heldModel(steps: readonly ScriptedStep[] = [asks, 'Done.']): {
  model: ReturnType<typeof scriptedModel>;
  letGo: () => void;
} {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const scripted = scriptedModel(steps);
  // A call that is made again, because the server was away, gets the same step again.
  const call: typeof scripted.call = async (request, options) => {
    await held;
    const turns = request.messages.filter(({ role }) => role === 'assistant').length;
    const script = request.model === 'talk' ? ['One.', 'Two.'] : steps;
    return await scriptedModel(script.slice(turns, turns + 1)).call(request, options);
  };
  return { model: { ...scripted, call }, letGo };
}

describe('who waits for a run', () => {
  it('is answered though the server refuses long polls, with one open at a time', async () => {
    const harness = await openHarness();
    const { model, letGo } = heldModel();
    await harness.deploy({ runners: [asker], providers: { scripted: model } });
    const refused = await connectThrough(devServerAddress(), harness.taskQueue, (n) => n <= 3);
    try {
      const run = refused.longhaul.run((await harness.longhaul.start('asker', 'Go.')).workflowId);
      const outcome = run.outcome();
      await eventually('it asked three times in vain', () => refused.calls.length > 3);
      letGo();
      expect(await outcome).toMatchObject({ kind: 'needs-input', question: 'Go on?' });
      expect(refused.calls.filter((name) => name === 'GetWorkflowExecutionHistory')).toEqual([]);
      await run.resume('Yes.');
      expect(await run.result()).toMatchObject({ finalResponse: { text: 'Done.' } });
    } finally {
      await refused.close();
      await harness.close();
    }
  });

  it('is told of a long result by as many replies as one message carries', async () => {
    const harness = await openHarness();
    const text = 'x'.repeat(900_000);
    const { model, letGo } = heldModel([text]);
    await harness.deploy({ runners: [asker], providers: { scripted: model } });
    try {
      const run = await harness.longhaul.start('asker', 'Go.');
      const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
      const waiters = await Promise.all(
        Array.from({ length: 9 }, () =>
          handle.startUpdate<OutcomeReply, []>('outcome', { waitForStage: 'ACCEPTED' }),
        ),
      );
      const told = run.outcome();
      letGo();
      expect(await told).toMatchObject({ kind: 'complete', result: { finalResponse: { text } } });
      const replies = await Promise.all(waiters.map((waiter) => waiter.result()));
      const kinds = replies.map(({ kind }) => kind).sort();
      expect(kinds).toEqual(['complete', ...Array.from({ length: 8 }, () => 'ended')]);
      expect(await run.result()).toMatchObject({ finalResponse: { text } });
    } finally {
      await harness.close();
    }
  });

  it('outlives a server that is killed and started again', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'longhaul-waiting-'));
    const options = { dbFile: join(scratch, 'runs.db'), headless: true };
    const first = await startDevServer(options);
    const harness = await openHarness(first.address);
    const { model, letGo } = heldModel();
    await harness.deploy({ runners: [asker, talker], providers: { scripted: model } });
    const { longhaul, calls, close } = await connectThrough(first.address, harness.taskQueue);
    let second: typeof first | undefined;
    try {
      const run = await longhaul.start('asker', 'Go.');
      const waiting = [run.outcome(), run.outcome()];
      const result = run.result();
      const thread = longhaul.thread({ agent: 'talker', sessionId: harness.taskQueue });
      await thread.send('First.');
      const queued = (await thread.send('Second.')).result();
      await eventually('all of them wait', () => calls.length >= 3);
      process.kill(first.pid, 'SIGKILL');
      await first.exited;
      second = await startDevServer({ ...options, port: first.port });
      letGo();
      const paused = { kind: 'needs-input', question: 'Go on?' };
      expect(await Promise.all(waiting)).toMatchObject([paused, paused]);
      expect(await queued).toMatchObject({ finalResponse: { text: 'Two.' } });
      await run.resume('Yes.');
      expect(await result).toMatchObject({ finalResponse: { text: 'Done.' } });
    } finally {
      await close();
      await harness.close();
      await (second ?? first).stop();
      rmSync(scratch, { recursive: true });
    }
  });

  it('is let go when the connection is closed', async () => {
    const harness = await openHarness();
    const { model, letGo } = heldModel();
    await harness.deploy({ runners: [asker], providers: { scripted: model } });
    const client = await connect({ address: devServerAddress(), taskQueue: harness.taskQueue });
    try {
      const run = await client.start('asker', 'Go.');
      const ends = [run.outcome(), run.result()].map((wait) =>
        wait.catch((error: unknown) => error),
      );
      await eventually('its model is called', async () => (await run.state()).turn === 1);
      await client.close();
      expect(await Promise.all(ends)).toMatchObject([
        { code: 'ServerUnavailable' },
        { code: 'ServerUnavailable' },
      ]);
    } finally {
      letGo();
      await harness.close();
    }
  });
});
