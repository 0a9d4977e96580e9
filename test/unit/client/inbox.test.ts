// Pure: no server. The server's list and the workers' answers are doubles.
import { ServiceError, type Client } from '@temporalio/client';
import { Inbox, inboxQuery, type InboxFilter, type InboxItem } from '../../../src/client/inbox';
import { threadType, workflowTypes } from '../../../src/protocol/names';
import type { PendingInput, RunMemo } from '../../../src/protocol/run';

const types = [...Object.values(workflowTypes), threadType].map((type) => `'${type}'`);
const open = `WorkflowType IN (${types.join(', ')}) AND ExecutionStatus = 'Running'`;
const waits = " AND (LonghaulStatus = 'needs-input' OR LonghaulStatus IS NULL)";

describe('inboxQuery', () => {
  it.each([
    { name: 'no index', agent: 'clerk', isIndexed: false, query: open },
    { name: 'an index', agent: undefined, isIndexed: true, query: open + waits },
    {
      name: 'an agent',
      agent: 'clerk',
      isIndexed: true,
      query: `${open}${waits} AND (LonghaulAgent = 'clerk' OR LonghaulAgent IS NULL)`,
    },
    { name: 'no agent id', agent: "x' OR 'a' = 'a", isIndexed: true, query: open + waits },
  ])('with $name', ({ agent, isIndexed, query }) => {
    expect(inboxQuery(agent, isIndexed)).toBe(query);
  });
});

const grpc = { deadlineExceeded: 4, failedPrecondition: 9, permissionDenied: 7, unavailable: 14 };

function failing(code: number): ServiceError {
  const cause = Object.assign(new Error('refused'), { code, details: 'refused', metadata: {} });
  return new ServiceError('refused', { cause });
}

type Run = {
  readonly id: string;
  readonly queue?: string;
  readonly memo?: RunMemo;
  /** What its `pending` query answers; an error is thrown. */
  readonly answer?: readonly PendingInput[] | Error;
};

type Asked = { lists: string[]; indexChecks: number; queues: string[]; runs: string[] };

/** A client of a namespace with these open runs, which notes what it is asked. */
function clientOf(
  runs: readonly Run[],
  options: { polled?: (queue: string) => boolean; attributes?: () => Record<string, number> } = {},
): { client: Client; asked: Asked } {
  const asked: Asked = { lists: [], indexChecks: 0, queues: [], runs: [] };
  const { polled = () => true, attributes = () => ({}) } = options;
  async function* list({ query }: { query: string }): AsyncGenerator<object, void, void> {
    asked.lists.push(query);
    for (const { id, queue = 'q', memo } of runs) {
      const status = { name: 'RUNNING' };
      yield {
        workflowId: id,
        runId: `e-${id}`,
        taskQueue: queue,
        status,
        memo: { longhaul: memo },
      };
    }
  }
  const query = async (id: string): Promise<unknown> => {
    asked.runs.push(id);
    const answer = runs.find((run) => run.id === id)?.answer;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const client = {
    options: { namespace: 'default' },
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    workflow: { list, getHandle: (id: string) => ({ query: () => query(id) }) },
    workflowService: {
      describeTaskQueue: async ({ taskQueue }: { taskQueue: { name: string } }) => {
        asked.queues.push(taskQueue.name);
        return { pollers: polled(taskQueue.name) ? [{ lastAccessTime: { seconds: 1 } }] : [] };
      },
      listWorkers: async () => ({ workersInfo: [] }),
    },
    connection: {
      operatorService: {
        listSearchAttributes: async () => {
          asked.indexChecks += 1;
          return { customAttributes: attributes() };
        },
      },
    },
  };
  return { client: client as unknown as Client, asked };
}

const input: PendingInput = {
  inputId: 'q1',
  kind: 'question',
  question: 'Which city?',
  agentId: 'clerk',
  path: 'clerk',
  since: '2026-01-01T00:00:00.000Z',
};
const waiting: RunMemo = { status: 'needs-input', agent: 'clerk', pending: [input] };
const whole: PendingInput = { ...input, options: ['Paris', 'Rome'] };
const item = (runId: string, fields: Partial<InboxItem> = {}): InboxItem => {
  return { runId, agent: 'clerk', ...input, isComplete: false, ...fields };
};

async function collect(inbox: Inbox, filter: InboxFilter = {}): Promise<InboxItem[]> {
  const items: InboxItem[] = [];
  for await (const found of inbox.items(filter)) items.push(found);
  return items;
}

describe('Inbox', () => {
  it.each<{ name: string; run: Omit<Run, 'id'>; items: InboxItem[] }>([
    {
      name: 'the run itself',
      run: { memo: waiting, answer: [whole] },
      items: [item('a', { ...whole, isComplete: true })],
    },
    { name: 'nothing once it is answered', run: { memo: waiting, answer: [] }, items: [] },
    {
      name: 'the memo when its workers are silent',
      run: { memo: waiting, answer: failing(grpc.deadlineExceeded) },
      items: [item('a')],
    },
    {
      name: 'the memo when its workers cannot say',
      run: { memo: waiting, answer: failing(grpc.failedPrecondition) },
      items: [item('a')],
    },
    {
      name: 'nothing of a run that goes on',
      run: { memo: { ...waiting, status: 'running' } },
      items: [],
    },
    { name: 'nothing of a child', run: { memo: { ...waiting, path: 'top/clerk' } }, items: [] },
    { name: 'nothing without a memo', run: {}, items: [] },
  ])('takes $name', async ({ run, items }) => {
    const { client } = clientOf([{ id: 'a', ...run }]);
    expect(await collect(new Inbox(client))).toEqual(items);
  });

  it('asks no worker when told so, and none where none polls', async () => {
    const run = { id: 'a', memo: waiting, answer: [whole] };
    const polled = clientOf([run]);
    expect(await collect(new Inbox(polled.client), { withoutWorker: true })).toEqual([item('a')]);
    expect(polled.asked).toMatchObject({ queues: [], runs: [] });
    const idle = clientOf([run, { ...run, id: 'b' }], { polled: () => false });
    expect(await collect(new Inbox(idle.client))).toEqual([item('a'), item('b')]);
    expect(idle.asked).toMatchObject({ queues: ['q'], runs: [] });
  });

  it('asks a task queue no more that was silent, and the others on', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `r${index}`);
    const runs = ids.map((id, index) => ({
      id,
      memo: waiting,
      ...(index % 2 === 0
        ? { queue: 'silent', answer: failing(grpc.deadlineExceeded) }
        : { queue: 'alive', answer: [whole] }),
    }));
    const { client, asked } = clientOf(runs);
    const items = await collect(new Inbox(client));
    expect(items.map(({ runId }) => runId)).toEqual(ids);
    expect(items.map(({ isComplete }) => isComplete)).toEqual(
      runs.map((_, index) => index % 2 === 1),
    );
    const silent = asked.runs.filter((id) => Number(id.slice(1)) % 2 === 0);
    expect(silent.length).toBeLessThan(10);
    expect(asked.queues).toEqual(['silent', 'alive']);
  });

  it('filters by agent and kind, and stops at the limit', async () => {
    const memo = (agent: string): RunMemo => ({ ...waiting, agent });
    const approval = { ...input, inputId: 'a1.0', kind: 'approval' } as const;
    const { client } = clientOf([
      { id: 'a', memo: memo('clerk'), answer: [input, approval] },
      { id: 'b', memo: memo('other'), answer: [input, approval] },
    ]);
    const found = async (filter: InboxFilter): Promise<string[]> =>
      (await collect(new Inbox(client), filter)).map(({ runId, inputId }) => `${runId} ${inputId}`);
    expect(await found({})).toEqual(['a q1', 'a a1.0', 'b q1', 'b a1.0']);
    expect(await found({ agent: 'other' })).toEqual(['b q1', 'b a1.0']);
    expect(await found({ kind: 'approval' })).toEqual(['a a1.0', 'b a1.0']);
    expect(await found({ limit: 3 })).toEqual(['a q1', 'a a1.0', 'b q1']);
  });

  it.each<{
    name: string;
    attributes: () => Record<string, number>;
    lists: string[];
    indexChecks: number;
  }>([
    {
      name: 'by status where both are registered',
      attributes: () => ({ LonghaulAgent: 2, LonghaulStatus: 2 }),
      lists: [open + waits, open + waits],
      indexChecks: 1,
    },
    {
      name: 'by memo where one is missing',
      attributes: () => ({ LonghaulStatus: 2 }),
      lists: [open, open],
      indexChecks: 1,
    },
    {
      name: 'by memo where one is of another type',
      attributes: () => ({ LonghaulAgent: 2, LonghaulStatus: 1 }),
      lists: [open, open],
      indexChecks: 1,
    },
    {
      name: 'by memo where it may not ask',
      attributes: () => {
        throw failing(grpc.permissionDenied);
      },
      lists: [open, open],
      indexChecks: 1,
    },
    {
      name: 'by memo while nobody answers',
      attributes: () => {
        throw failing(grpc.unavailable);
      },
      lists: [open, open],
      indexChecks: 2,
    },
  ])('finds runs $name', async ({ attributes, lists, indexChecks }) => {
    const { client, asked } = clientOf([], { attributes });
    const inbox = new Inbox(client);
    await collect(inbox);
    await collect(inbox);
    expect(asked).toMatchObject({ lists, indexChecks });
  });
});
