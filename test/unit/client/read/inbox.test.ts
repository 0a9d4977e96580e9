// Pure: no server. The server's list and the workers' answers are doubles.
import { ServiceError, type Client } from '@temporalio/client';
import { listInbox, type InboxFilter, type InboxItem } from '../../../../src/client/read/inbox';
import { SearchIndex } from '../../../../src/client/server/executions';
import { whereType } from '../../../../src/protocol/names';
import type { PendingInput, RunMemo } from '../../../../src/protocol/run';

const open = `${whereType()} AND ExecutionStatus = 'Running' AND ExecutionStatus != 'ContinuedAsNew'`;
const narrowed = (conditions: string): string =>
  `${open} AND (LonghaulStatus IS NULL OR (LonghaulStatus = 'needs-input'${conditions}))`;
const waits = narrowed('');

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
  agentId: 'helper',
  path: 'helper',
  since: '2026-01-01T00:00:00.000Z',
};
const waiting: RunMemo = { status: 'needs-input', agent: 'helper', pending: [input] };
const whole: PendingInput = { ...input, options: ['Paris', 'Rome'] };
const item = (workflowId: string, fields: Partial<InboxItem> = {}): InboxItem => {
  return { workflowId, agent: 'helper', ...input, isComplete: false, ...fields };
};

async function collect(from: Client | SearchIndex, filter: InboxFilter = {}): Promise<InboxItem[]> {
  const index = from instanceof SearchIndex ? from : new SearchIndex(from);
  const items: InboxItem[] = [];
  for await (const found of listInbox(index, filter)) items.push(found);
  return items;
}

describe('listInbox', () => {
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
    { name: 'nothing of a child', run: { memo: { ...waiting, path: 'top/helper' } }, items: [] },
    { name: 'nothing without a memo', run: {}, items: [] },
  ])('takes $name', async ({ run, items }) => {
    const { client } = clientOf([{ id: 'a', ...run }]);
    expect(await collect(client, { whole: true })).toEqual(items);
  });

  it('asks only runs whose memo leaves inputs out', async () => {
    const runs = Array.from({ length: 100 }, (_, index) => ({
      id: `r${index}`,
      memo: index === 50 ? { ...waiting, morePending: 1 } : waiting,
      answer: [whole],
    }));
    const { client, asked } = clientOf(runs);
    const items = await collect(client);
    expect(asked).toMatchObject({ queues: ['q'], runs: ['r50'] });
    expect(items.filter(({ isComplete }) => isComplete)).toEqual([
      item('r50', { ...whole, isComplete: true }),
    ]);
    expect(items).toHaveLength(100);
  });

  it('asks no worker when told so, or when no worker polls', async () => {
    const run = { id: 'a', memo: waiting, answer: [whole] };
    const polled = clientOf([run]);
    const silently = { whole: true, withoutWorker: true };
    expect(await collect(polled.client, silently)).toEqual([item('a')]);
    expect(polled.asked).toMatchObject({ queues: [], runs: [] });
    const idle = clientOf([run, { ...run, id: 'b' }], { polled: () => false });
    expect(await collect(idle.client, { whole: true })).toEqual([item('a'), item('b')]);
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
    const items = await collect(client, { whole: true });
    expect(items.map(({ workflowId }) => workflowId)).toEqual(ids);
    expect(items.map(({ isComplete }) => isComplete)).toEqual(
      runs.map((_, index) => index % 2 === 1),
    );
    const silent = asked.runs.filter((id) => Number(id.slice(1)) % 2 === 0);
    expect(silent.length).toBeLessThan(10);
    expect(asked.queues).toEqual(['silent', 'alive']);
  });

  it('filters by agent and kind, and stops at the limit', async () => {
    const approval = { ...input, inputId: 'a1.0', kind: 'approval' } as const;
    const memo = (agent: string): RunMemo => ({
      ...waiting,
      agent,
      pending: [input, approval],
    });
    const { client } = clientOf([
      { id: 'a', memo: memo('helper') },
      { id: 'b', memo: memo('other') },
    ]);
    const found = async (filter: InboxFilter): Promise<string[]> =>
      (await collect(client, filter)).map(({ workflowId, inputId }) => `${workflowId} ${inputId}`);
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
      attributes: () => ({ LonghaulAgent: 2, LonghaulStatus: 2, LonghaulKey: 7 }),
      lists: [waits, waits],
      indexChecks: 1,
    },
    {
      name: 'by memo where one is missing',
      attributes: () => ({ LonghaulStatus: 2, LonghaulKey: 7 }),
      lists: [open, open],
      indexChecks: 1,
    },
    {
      name: 'by memo where one is of another type',
      attributes: () => ({ LonghaulAgent: 2, LonghaulStatus: 2, LonghaulKey: 2 }),
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
    const index = new SearchIndex(client);
    await collect(index);
    await collect(index);
    expect(asked).toMatchObject({ lists, indexChecks });
  });

  it.each([
    {
      name: 'an agent',
      filter: { agent: 'helper' },
      query: narrowed(" AND LonghaulAgent = 'helper'"),
    },
    { name: 'what is no id', filter: { agent: "x' OR 'a' = 'a" }, query: waits },
    {
      name: 'a user of an application',
      filter: { agent: 'helper', key: { userId: 'ada', appName: 'shop' } },
      query: narrowed(
        " AND LonghaulAgent = 'helper'" +
          " AND LonghaulKey = 'app-63e7dc7be8ae3428ee90de5fba706209' AND LonghaulKey = 'user-a10756cea6fb7404058437fcfe4d8dc9'",
      ),
    },
  ])('lets the server look for $name', async ({ filter, query }) => {
    const attributes = { LonghaulAgent: 2, LonghaulStatus: 2, LonghaulKey: 7 };
    const { client, asked } = clientOf([], { attributes: () => attributes });
    await collect(client, filter);
    expect(asked.lists).toEqual([query]);
  });

  it('sorts by age across runs, and asks only the runs of the items that somebody takes', async () => {
    const aged = (since: string, inputId: string): PendingInput => ({ ...input, since, inputId });
    const memo = (...pending: PendingInput[]): RunMemo => ({ ...waiting, pending });
    const runs = [
      { id: 'new', memo: memo(aged('2026-03-01', 'q1'), aged('2026-01-01', 'q2')) },
      { id: 'old', memo: memo(aged('2026-02-01', 'q3')) },
      { id: 'forged', memo: memo({ ...input, since: 7 as unknown as string, inputId: 'q4' }) },
    ];
    const { client } = clientOf(runs);
    const ids = (await collect(client)).map(({ inputId }) => inputId);
    expect(ids.filter((id) => id !== 'q4')).toEqual(['q2', 'q3', 'q1']);
    expect(ids).toHaveLength(4);

    const answers = runs.map((run) => ({ ...run, answer: run.memo.pending as PendingInput[] }));
    const many = Array.from({ length: 30 }, (_, index) => ({
      id: `late-${index}`,
      memo: memo(aged('2026-04-01', 'q5')),
      answer: [aged('2026-04-01', 'q5')],
    }));
    const { client: asking, asked } = clientOf([...many, ...answers]);
    const [first] = await collect(asking, { whole: true, limit: 1 });
    expect(first).toMatchObject({ isComplete: true });
    expect(asked.runs.length).toBeLessThanOrEqual(10);
    expect(new Set(asked.runs).size).toBe(asked.runs.length);
  });
});
