// Runs inside workflows of a user's own, on the dev server: results, pauses, failures, cancellation; and what a bundle must export.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundle } from '@temporalio/worker';
import { defineTool, sequential } from '../../src';
import { LonghaulPlugin } from '../../src/worker';
import { eventually } from './eventually';
import { continueAsNew, fetchHistory } from './history';
import { openHarness, type Harness } from './harness';
import { lastText, scriptedAgents, type Script } from './scripted-agents';

const bundle = (file: string): Promise<WorkflowBundle> =>
  bundleWorkflowCode({
    workflowsPath: join(__dirname, 'own-workflows', file),
    logger: new DefaultLogger('ERROR', () => undefined),
    plugins: [new LonghaulPlugin()],
  });

const keys: string[] = [];
const sign = defineTool({
  name: 'sign',
  description: 'Signs',
  inputSchema: { type: 'object', properties: {} },
  session: ['city', 'signed'],
  execute: (_args, { session, context, idempotencyKey }) => {
    keys.push(idempotencyKey);
    session['signed'] = `in ${session['city'] as string} for ${context['tenant'] as string}`;
    return 'signed';
  },
});
const lines: Record<string, unknown>[] = [];
const signs: Script = [{ toolCalls: [{ name: 'sign', args: {} }] }, 'Done.'];
const asks: Script = [{ toolCalls: [{ name: 'ask_user', args: { question: 'Go on?' } }] }, 'Gone.'];
const echo: Script = [(request) => `<${lastText(request)}>`];

describe("a user's own workflow", () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
    const agents = scriptedAgents();
    const writes = (level: string) => (message: string, fields?: Record<string, unknown>) =>
      void lines.push({ level, message, ...fields });
    const [debug, info, warn, error] = [
      writes('debug'),
      writes('info'),
      writes('warn'),
      writes('error'),
    ];
    const logger = { debug, info, warn, error };
    const own = await bundle('workflows.ts');
    // The bundler puts the tools of its plugin in front, here none.
    expect(own.code).toMatch(/^globalThis\.__longhaulTools__ \?\?= /);
    const steps = [agents.agent('first', echo), agents.agent('second', echo)];
    await harness.worker({
      runners: [
        sequential({ id: 'pipeline', steps, passOutput: true }),
        agents.agent('signer', signs, { tools: [sign], maxIterations: 1 }),
        agents.agent('endless', [signs[0]], { tools: [sign], maxIterations: 1 }),
        agents.agent('asker', asks, { askUser: 'tool' }),
      ],
      providers: { scripted: agents.provider },
      logger,
      workerOptions: { workflowBundle: own },
    });
  });
  afterAll(() => harness.close());

  function start(type: string, ...args: readonly unknown[]) {
    const { longhaul, taskQueue } = harness;
    const workflowId = `own-${randomUUID()}`;
    return longhaul.client.workflow.start(type, { taskQueue, workflowId, args: [...args] });
  }
  const execute = async (type: string, ...args: readonly unknown[]): Promise<unknown> =>
    (await start(type, ...args)).result();

  it('gets the result of a runner, beside a timer of its own, and writes to the log of the worker', async () => {
    const handle = await start('beside', 'pipeline', 'Go');
    const { workflowId } = handle;
    expect(await handle.result()).toEqual({
      workflowId: expect.stringMatching(/^pipeline-[0-9a-f]{12}$/) as string,
      text: '<<Go>>',
    });
    const said = lines.filter(
      (line) => line['message'] === 'beside the timer' && line['workflowId'] === workflowId,
    );
    expect(said).toEqual([
      expect.objectContaining({ level: 'info', sdkComponent: 'workflow', runner: 'pipeline' }),
    ]);
  });

  it('sends the id of a runner, and its spec by startSpec only', async () => {
    const spec = { kind: 'sequential', id: 'pipeline', steps: ['first'] };
    expect(await execute('executeRunner', { spec }, 'Go')).toMatchObject({
      finalResponse: { text: '<<Go>>' },
    });
    expect(await failureOf(execute('executeRunner', spec, 'Go'))).toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining('startSpec') as string,
    });
    expect(await execute('bySpec', spec, 'Go')).toBe('<Go>');
    expect(await failureOf(execute('bySpec', 'pipeline', 'Go'))).toMatchObject({
      type: 'InvalidInput',
    });
  });

  it('passes a session and a context to the run', async () => {
    const options = { session: { city: 'Oslo' }, context: { tenant: 'acme' } };
    expect(await execute('answer', 'signer', 'Go', options)).toEqual({
      text: 'Done.',
      session: { city: 'Oslo', signed: 'in Oslo for acme' },
    });
  });

  it('waits through a pause, which is answered under the workflow id of the runner', async () => {
    const workflowId = `asker-${randomUUID()}`;
    const own = await start('answer', 'asker', 'Go', { workflowId });
    const run = harness.longhaul.run(workflowId);
    await eventually('the run is there', () => run.state().then(Boolean, () => false));
    expect(await run.outcome()).toMatchObject({ question: 'Go on?', path: 'asker' });
    await run.resume('yes');
    expect(await own.result()).toEqual({ text: 'Gone.', session: {} });
  });

  it.each([
    {
      name: 'a limit',
      runner: 'endless',
      options: { session: { city: 'Oslo' }, context: { tenant: 'acme' } },
      failure: { type: 'MaxIterationsExceeded', details: [{ limit: 1 }] },
    },
    {
      name: 'the budget it was given',
      runner: 'signer',
      options: { context: { tenant: 'acme' }, budget: { maxTokens: 1, onExceeded: 'fail' } },
      failure: { type: 'BudgetExceeded', details: [{ unit: 'tokens', limit: 1, spent: 15 }] },
    },
  ])('sees the code of a failure: $name', async ({ runner, options, failure }) => {
    expect(await execute('failure', runner, 'Go', options)).toEqual(failure);
  });

  it('cancels a run by the scope it was started in', async () => {
    const workflowId = `asker-${randomUUID()}`;
    expect(await execute('cancelled', 'asker', workflowId)).toBe(true);
    await expect(harness.longhaul.run(workflowId).result()).rejects.toMatchObject({
      code: 'RunCancelled',
    });
  });

  it('cancels a run that has continued as new', async () => {
    const { longhaul } = harness;
    const workflowId = `asker-${randomUUID()}`;
    const handle = await start('answer', 'asker', 'Go', { workflowId });
    const run = longhaul.run(workflowId);
    const pending = () => run.pending().catch(() => []);
    await eventually('the question', async () => (await pending()).length === 1);
    await continueAsNew(longhaul, run);
    await handle.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    expect(await failureOf(handle.result())).toBeInstanceOf(CancelledFailure);
  });

  it.each([
    { name: 'no input', args: ['asker', ' '], code: 'InvalidInput' },
    {
      name: 'an invalid workflow id',
      args: ['asker', 'Go', { workflowId: '~' }],
      code: 'InvalidInput',
    },
    {
      name: 'a budget without a limit',
      args: ['asker', 'Go', { budget: {} }],
      code: 'InvalidInput',
    },
  ])('fails for $name, and does not repeat its task', async ({ args, code }) => {
    expect(await failureOf(execute('answer', ...args))).toMatchObject({ type: code });
  });

  it('fails for a workflow id that is taken', async () => {
    const workflowId = `asker-${randomUUID()}`;
    await harness.longhaul.start('asker', 'Go', { workflowId });
    expect(await failureOf(execute('answer', 'asker', 'Go', { workflowId }))).toMatchObject({
      type: 'RunAlreadyExists',
      details: [{ workflowId }],
    });
    await harness.longhaul.run(workflowId).cancel();
  });

  it('fails for a workflow id that has completed', async () => {
    const workflowId = `pipeline-${randomUUID()}`;
    await execute('answer', 'pipeline', 'Go', { workflowId });
    expect(await failureOf(execute('answer', 'pipeline', 'Go', { workflowId }))).toMatchObject({
      type: 'RunAlreadyExists',
    });
  });

  it('gives calls of runs that are started alike keys of their own, the same after its reset', async () => {
    keys.length = 0;
    const workflow = await start('alike', 'signer', 'Go');
    await workflow.result();
    const before = [...keys];
    expect(new Set(before).size).toBe(2);
    const events = await fetchHistory(harness.longhaul, workflow.workflowId);
    const task = events.find((event) => event.workflowTaskCompletedEventAttributes);
    await harness.longhaul.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: workflow.workflowId },
      reason: 'test',
      requestId: randomUUID(),
      workflowTaskFinishEventId: task?.eventId ?? null,
    });
    await harness.longhaul.client.workflow.getHandle(workflow.workflowId).result();
    expect(keys.slice(2)).toEqual(before);
  });

  it('may be one of the functions themselves, which its file exports with the rest', async () => {
    expect(await execute('executeRunner', 'pipeline', 'Go')).toMatchObject({
      finalResponse: { text: '<<Go>>' },
    });
    expect(await failureOf(execute('executeRunner'))).toMatchObject({ type: 'InvalidInput' });
    const started = (await execute('startRunner', 'asker', 'Go')) as { workflowId: string };
    const run = harness.longhaul.client.workflow.getHandle(started.workflowId);
    await eventually('the run has ended with it', async () => {
      return (await run.describe()).status.name === 'TERMINATED';
    });
  });
});

describe('a workflow file', () => {
  it.each([
    {
      file: 'importing.ts',
      missing: 'agentWorkflow, sequentialWorkflow, parallelWorkflow, graphWorkflow, threadWorkflow',
    },
    { file: 'incomplete.ts', missing: 'parallelWorkflow, graphWorkflow, threadWorkflow' },
  ])('that does not export $missing is refused', async ({ file, missing }) => {
    await expect(bundle(file)).rejects.toThrow(
      `${file} does not export Longhaul's workflows ${missing}: add \`export * from 'longhaul/workflows'\` to it`,
    );
  });
});

async function failureOf(result: Promise<unknown>): Promise<unknown> {
  const error: unknown = await result.catch((thrown: unknown) => thrown);
  return error instanceof WorkflowFailedError ? error.cause : error;
}
