// What a call of a sub-agent costs beside a plain child workflow with one activity, in one run, each in turn.
// "The call" is what lies between the child's start and its end in the caller's history; the rest is the calling agent's own two turns.
// Usage, after `npm run build`: node bench/sub-agent.mts [pairs]. TEMPORAL_ADDRESS names a server; without it a dev server is started.
import { NativeConnection, Worker } from '@temporalio/worker';
import { defineAgent, subAgent } from 'longhaul';
import { connect, type Longhaul } from 'longhaul/client';
import { fetchHistory, scriptedModel, type RunHistory } from 'longhaul/testing';
import { createWorker } from 'longhaul/worker';
import { withServer } from './bench-server.mts';
import { timeOf } from './continue.mts';
import './quiet-runtime.mts';

const pairs = Number(process.argv[2] ?? 50);
const warmUps = 5;
const taskQueues = { agents: `sub-agent-${process.pid}`, bare: `bare-${process.pid}` };

const helper = defineAgent({ id: 'helper', model: 'helper/one' });
const manager = defineAgent({
  id: 'manager',
  model: 'manager/one',
  tools: [subAgent(helper, { name: 'help', description: 'Helps' })],
});
const ask = { toolCalls: [{ name: 'help', args: { input: 'this' } }] };
const always = <Step,>(step: Step): readonly Step[] => Array.from({ length: 10_000 }, () => step);

type Cost = {
  readonly 'wall time, ms': number;
  readonly 'the call, ms': number;
  readonly 'workflow tasks': number;
  readonly 'workflow tasks of the child': number;
  readonly events: number;
  readonly 'events of the child': number;
};

async function startWorkers(address: string): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address });
  const providers = {
    helper: scriptedModel(always('helped')),
    manager: scriptedModel(
      always(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'done' : ask)),
    ),
  };
  const workers = [
    await createWorker({ connection, taskQueue: taskQueues.agents, runners: [manager], providers }),
    await Worker.create({
      connection,
      taskQueue: taskQueues.bare,
      workflowsPath: new URL('bare-workflows.ts', import.meta.url).pathname,
      activities: { answer: (input: string) => Promise.resolve(input) },
    }),
  ];
  const ended = workers.map((worker) => worker.run());
  return async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(ended);
    await connection.close();
  };
}

async function measure(longhaul: Longhaul, start: () => Promise<string>): Promise<Cost> {
  const began = performance.now();
  const workflowId = await start();
  const wallTime = performance.now() - began;
  const parent = await fetchHistory(longhaul, workflowId);
  const { childId, callTime } = callOf(parent);
  const child = await fetchHistory(longhaul, childId);
  return {
    'wall time, ms': wallTime,
    'the call, ms': callTime,
    'workflow tasks': tasksOf(parent),
    'workflow tasks of the child': tasksOf(child),
    events: parent.events?.length ?? 0,
    'events of the child': child.events?.length ?? 0,
  };
}

function tasksOf({ events }: RunHistory): number {
  return (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes).length;
}

function callOf({ events = [] }: RunHistory): { childId: string; callTime: number } {
  const list = events ?? [];
  const initiated = list.find((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
  const completed = list.find((event) => event.childWorkflowExecutionCompletedEventAttributes);
  const attributes = initiated?.startChildWorkflowExecutionInitiatedEventAttributes;
  return {
    childId: attributes?.workflowId ?? '',
    callTime: timeOf(completed?.eventTime) - timeOf(initiated?.eventTime),
  };
}

function medians(costs: readonly Cost[]): Cost {
  const names = Object.keys(costs[0] ?? {}) as (keyof Cost)[];
  return Object.fromEntries(
    names.map((name) => {
      const sorted = costs.map((cost) => cost[name]).sort((left, right) => left - right);
      return [name, Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 10) / 10];
    }),
  ) as Cost;
}

await withServer(async (address) => {
  const longhaul = await connect({ address, taskQueue: taskQueues.agents });
  const stop = await startWorkers(address);
  const agents: Cost[] = [];
  const bare: Cost[] = [];
  for (let index = -warmUps; index < pairs; index += 1) {
    const agent = await measure(longhaul, async () => {
      const run = await longhaul.start('manager', 'Go');
      await run.result();
      return run.workflowId;
    });
    const plain = await measure(longhaul, async () => {
      const workflowId = `bare-${process.pid}-${index}`;
      const options = { workflowId, taskQueue: taskQueues.bare, args: ['Go'] };
      await longhaul.client.workflow.execute('bareParent', options);
      return workflowId;
    });
    if (index >= 0) [agents, bare].forEach((costs, at) => costs.push(at === 0 ? agent : plain));
  }
  const [agent, plain] = [medians(agents), medians(bare)];
  console.log(`Medians of ${pairs}:`);
  console.table(
    Object.fromEntries(
      (Object.keys(agent) as (keyof Cost)[]).map((name) => [
        name,
        {
          'a sub-agent': agent[name],
          'a plain child': plain[name],
          ratio: Math.round((agent[name] / plain[name]) * 100) / 100,
        },
      ]),
    ),
  );
  await stop();
  await longhaul.close();
});
