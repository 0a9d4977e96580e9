// `reset` of a run: what it calls has ended before it goes back, and calls that are made again have the keys they had.

import { defineTool, parallel, sequential, subAgent, type Tool } from '../../src';
import { runCli } from '../../src/cli/run-cli';
import type { RunHandle } from '../../src/client';
import { resetRun } from '../../src/client/write/reset';
import { devServerAddress } from '../servers';
import { fakeTerminal } from '../unit/cli/fake-terminal';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { lastText, scriptedAgents, type Script } from './scripted-agents';

const refund: Script[number] = { toolCalls: [{ name: 'refund', args: {} }] };
const pay: Script[number] = { toolCalls: [{ name: 'pay', args: { input: 'Pay' } }] };

describe('reset of a run', () => {
  let harness: Harness;
  let keys: string[];
  /** Calls of the tool that have begun and not ended. */
  let open: number;
  let mostOpen: number;
  /** Calls that end by themselves; others wait until they are aborted. */
  let endsAfter: number;
  beforeEach(async () => {
    harness = await openHarness();
    [keys, open, mostOpen, endsAfter] = [[], 0, 0, 1];
  });
  afterEach(() => harness.close());

  function refundTool(effect: 'once' | 'idempotent'): Tool {
    return defineTool({
      name: 'refund',
      description: 'Pays money back',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      effect,
      execute: async (_args, { idempotencyKey, signal }) => {
        keys.push(idempotencyKey);
        open += 1;
        mostOpen = Math.max(open, mostOpen);
        try {
          if (keys.length < endsAfter)
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return 'paid';
        } finally {
          open -= 1;
        }
      },
    });
  }

  async function serveTree(effect: 'once' | 'idempotent'): Promise<void> {
    const agents = scriptedAgents();
    const payer = agents.agent('payer', [refund, 'refunded'], { tools: [refundTool(effect)] });
    const boss = agents.agent('boss', [pay, (request) => `done: ${lastText(request)}`], {
      tools: [subAgent(payer, { name: 'pay', description: 'Pays' })],
    });
    await harness.worker({ runners: [boss], providers: { scripted: agents.provider } });
  }

  /** The run that this one has called and that is open. */
  async function openChild(run: RunHandle): Promise<string> {
    let found: string | undefined;
    await eventually('a call of the tool', () => open > 0);
    await eventually('the child', async () => {
      const { children } = await run.tree();
      found = children.find(({ status }) => status === 'running')?.workflowId;
      return found !== undefined;
    });
    return found ?? '';
  }

  /** The child is in the first call of the tool. Its second one ends. */
  async function openTree(): Promise<{ readonly run: RunHandle; readonly child: string }> {
    endsAfter = 2;
    await serveTree('idempotent');
    const run = await harness.longhaul.start('boss', 'Go');
    return { run, child: await openChild(run) };
  }

  it('ends the run below it that a call is under way in, and starts another with the same key', async () => {
    const { run, child } = await openTree();
    const plan = await run.reset({ to: 1 });
    expect(plan).toMatchObject({
      calls: [{ workflowId: child, path: 'boss/pay', tool: 'refund', effect: 'idempotent' }],
      runs: [{ workflowId: child, path: 'boss/pay' }],
    });
    expect(await harness.longhaul.run(child).state()).toMatchObject({ status: 'cancelled' });
    expect((await run.result()).finalResponse.text).toBe('done: Go');
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(mostOpen).toBe(1);
  });

  it('takes a run below another back, whose caller gets its result', async () => {
    const { run, child: workflowId } = await openTree();
    const child = harness.longhaul.run(workflowId);
    const { runId } = await child.state();
    await child.reset({ to: 1 });
    await run.result();
    expect((await child.state()).runId).not.toBe(runId);
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(2);
    await expect(child.reset({ to: 1 })).rejects.toMatchObject({ code: 'RunClosed' });
  });

  it('refuses to reset a run below another that ends meanwhile, and leaves nothing behind', async () => {
    const { run, child } = await openTree();
    const { client } = harness.longhaul;
    const { workflowService } = client;
    const resetWorkflowExecution = async (
      request: Parameters<typeof workflowService.resetWorkflowExecution>[0],
    ) => {
      await run.cancel('enough');
      await run.result().catch(() => undefined);
      return await workflowService.resetWorkflowExecution(request);
    };
    const late = Object.create(client, {
      workflowService: {
        value: Object.create(workflowService, {
          resetWorkflowExecution: { value: resetWorkflowExecution },
        }),
      },
    }) as typeof client;
    await expect(resetRun(late, child, { to: 1 })).rejects.toMatchObject({ code: 'RunClosed' });
    await eventually('the child is closed', async () => {
      const { status } = await client.workflow.getHandle(child).describe();
      return status.name === 'CANCELLED';
    });
  });

  it('takes a run that ends meanwhile, before it is told to halt, back from its end', async () => {
    const { run, child } = await openTree();
    const { client } = harness.longhaul;
    const getHandle = (workflowId: string, runId?: string) => {
      const handle = client.workflow.getHandle(workflowId, runId);
      const signal: typeof handle.signal = async (...message) => {
        await run.cancel('enough');
        await run.result().catch(() => undefined);
        await handle.signal(...message);
      };
      return { ...handle, signal };
    };
    const late = Object.create(client, {
      workflow: { value: Object.create(client.workflow, { getHandle: { value: getHandle } }) },
    }) as typeof client;
    await expect(resetRun(late, child, { to: 1 })).rejects.toMatchObject({ code: 'RunClosed' });
    await resetRun(late, run.workflowId, { to: 1 });
    expect((await run.result()).finalResponse.text).toBe('done: Go');
  });

  it('asks again what a run below another had asked, and takes another answer', async () => {
    const asks: Script[number] = { toolCalls: [{ name: 'ask_user', args: { question: 'Pay?' } }] };
    const agents = scriptedAgents();
    const payer = agents.agent('payer', [asks, refund, (request) => lastText(request)], {
      tools: [refundTool('idempotent')],
      askUser: 'tool',
    });
    const boss = agents.agent('boss', [pay, (request) => `done: ${lastText(request)}`], {
      tools: [subAgent(payer, { name: 'pay', description: 'Pays' })],
    });
    endsAfter = 2;
    await harness.worker({ runners: [boss], providers: { scripted: agents.provider } });
    const run = await harness.longhaul.start('boss', 'Go');
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input' });
    const [first] = await run.pending();
    await run.resume('Yes.');
    await harness.longhaul.run(await openChild(run)).reset({ to: 1 });
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input' });
    const [again] = await run.pending();
    expect(again).toMatchObject({ inputId: first?.inputId, question: 'Pay?' });
    expect(again?.nonce).not.toBe(first?.nonce);
    await run.resume('Yes, again.');
    expect((await run.result()).finalResponse.text).toBe('done: Go');
  });

  it('shows first what may be made again, and changes nothing unless that is agreed to', async () => {
    await serveTree('once');
    const run = await harness.longhaul.start('boss', 'Go');
    await run.result();
    const { runId } = await run.state();
    expect(await run.reset({ to: 1, confirm: ({ calls }) => calls[0]?.effect !== 'once' })).toBe(
      undefined,
    );
    expect((await run.state()).runId).toBe(runId);
    const terminal = fakeTerminal();
    const args = ['reset', run.workflowId, '--to', '1', '--address', devServerAddress()];
    expect(await runCli(args, terminal)).toBe(2);
    expect(await runCli([...args, '--yes'], terminal)).toBe(0);
    expect(terminal.printed).toEqual([
      '1 tool calls are undone in the log only, and may be made again, under the same idempotency keys:',
      '  boss/pay: refund (effect once: it has been made)',
      'runs that are ended and called again: 1',
      `reset ${run.workflowId}`,
    ]);
    await run.result();
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('takes a pipeline to a step, and a parallel to before a branch with those beside it', async () => {
    const agents = scriptedAgents();
    const asks: Script[number] = { toolCalls: [{ name: 'ask_user', args: { question: 'Go?' } }] };
    const one = agents.agent('one', ['1']);
    const two = agents.agent('two', [asks, '2'], { askUser: 'tool' });
    const both = parallel({ id: 'both', branches: [one, two] });
    const first = agents.agent('first', ['0']);
    const root = sequential({ id: 'root', steps: [first, both] });
    await harness.worker({ runners: [root], providers: { scripted: agents.provider } });
    const run = await harness.longhaul.start('root', 'Go');
    await run.outcome();
    const branches = (await run.tree()).children.find(({ runner }) => runner === 'both');
    const below = harness.longhaul.run(branches?.workflowId ?? '');
    await below.reset({ to: 'branch-2' });
    await eventually('both branches run again', () =>
      ['one', 'two'].every((id) => agents.calls(id) === 2),
    );
    await run.reset({ to: 'both' });
    await eventually('both branches run again', () =>
      ['one', 'two'].every((id) => agents.calls(id) === 3),
    );
    await eventually('it is listed', async () => (await run.pending()).length === 1);
    await run.resume('yes');
    expect((await run.result()).finalResponse.text).toBe('2');
    expect(agents.calls('first')).toBe(1);
    await expect(run.reset({ to: 'nothing' })).rejects.toMatchObject({ code: 'InvalidInput' });
    await expect(run.reset({ to: 0 })).rejects.toMatchObject({ code: 'InvalidInput' });
    await expect(run.reset({ to: 9 })).rejects.toMatchObject({ code: 'InvalidInput' });
  });
});
