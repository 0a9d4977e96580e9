// Pure: no server. Workers' answers, the server's list and its descriptions are doubles.
import { ServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TreeReader, type RunTree } from '../../../../src/client/read/run-tree';
import type { ChildView, PendingInput, RunMemo } from '../../../../src/protocol/run';
import { aQuestion, aState, aTree, usageOf } from '../../cli/builders';

type Run = {
  readonly id: string;
  readonly path: string;
  readonly type?: string;
  readonly caller?: string;
  /** What it tells of itself; undefined: its worker does not answer. */
  readonly state?: ReturnType<typeof aState>;
  readonly children?: readonly ChildView[];
  readonly pending?: readonly PendingInput[];
};

const unanswered = new ServiceError('late', {
  cause: Object.assign(new Error('late'), { code: 4, details: 'late', metadata: {} }),
});

/** A client of a server that has these runs, which notes what is asked; as many at once as its `most`. */
function clientOf(runs: readonly Run[]): {
  client: Client;
  asked: string[];
  load: { most: number };
} {
  const asked: string[] = [];
  const load = { most: 0 };
  let atOnce = 0;
  const find = (id: string): Run => {
    const run = runs.find((each) => each.id === id);
    if (run === undefined) throw new WorkflowNotFoundError('workflow not found', id, undefined);
    return run;
  };
  const query = async (id: string, name: string): Promise<unknown> => {
    asked.push(`${name} ${id}`);
    atOnce += 1;
    load.most = Math.max(load.most, atOnce);
    await new Promise(setImmediate);
    atOnce -= 1;
    const { state, children = [] } = find(id);
    if (state === undefined) throw unanswered;
    return name === 'state' ? state : children;
  };
  const execution = ({ id, path, type = 'agent', caller, pending = [] }: Run): object => {
    const agent = path.split('/').at(-1) ?? '';
    const status = pending.length > 0 ? 'needs-input' : 'running';
    const memo: RunMemo = { status, agent, pending, ...(caller !== undefined && { path }) };
    return {
      workflowId: id,
      runId: `${id}/1`,
      type,
      status: { name: 'RUNNING' },
      memo: { longhaul: memo },
      rootExecution: { workflowId: "it's root", runId: 'root/1' },
      ...(caller !== undefined && {
        parentExecution: { workflowId: caller, runId: `${caller}/1` },
      }),
    };
  };
  async function* list(options: { query: string }): AsyncGenerator<object, void, void> {
    asked.push(options.query);
    for (const run of [...runs].reverse()) yield execution(run);
  }
  const client = {
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    workflow: {
      list,
      getHandle: (id: string) => ({
        query: (name: string) => query(id, name),
        describe: async () => {
          asked.push(`describe ${id}`);
          return execution(find(id));
        },
      }),
    },
  };
  return { client: client as unknown as Client, asked, load };
}

const view = (workflowId: string, fields: Partial<ChildView> = {}): ChildView => ({
  workflowId,
  runner: workflowId,
  path: `root/${workflowId}`,
  status: 'open',
  ...fields,
});

describe('TreeReader', () => {
  it('asks each run, and gives each what it asks itself', async () => {
    const asks = aQuestion({ path: 'root/both/left' });
    const state = { runner: 'root', kind: 'sequential', path: 'root' } as const;
    const { client } = clientOf([
      {
        id: 'root',
        path: 'root',
        state: aState({ ...state, turn: 0, costUsd: 0.5, pending: [asks] }),
        children: [view('both', { kind: 'parallel' })],
      },
      {
        id: 'both',
        path: 'root/both',
        state: aState({ runner: 'both', path: 'root/both', turn: 0, usage: usageOf(null) }),
        children: [view('left', { path: 'root/both/left' }), view('gone', { status: 'failed' })],
      },
      {
        id: 'left',
        path: 'root/both/left',
        state: aState({ runner: 'left', path: 'root/both/left', pending: [asks] }),
      },
    ]);
    expect(await new TreeReader(client, {}).read('root')).toEqual(
      aTree({
        workflowId: 'root',
        ...state,
        turn: 0,
        costUsd: 0.5,
        children: [
          aTree({
            workflowId: 'both',
            runner: 'both',
            kind: 'parallel',
            path: 'root/both',
            turn: 0,
            usage: usageOf(null),
            children: [
              aTree({
                workflowId: 'left',
                runner: 'left',
                path: 'root/both/left',
                pending: [asks],
              }),
              aTree({
                workflowId: 'gone',
                runner: 'gone',
                path: 'root/gone',
                status: 'failed',
                turn: 0,
                iterations: 0,
                usage: usageOf(null),
              }),
            ],
          }),
        ],
      }),
    );
  });

  it('asks a few runs at a time', async () => {
    const ids = Array.from({ length: 40 }, (_none, index) => `child-${index}`);
    const children = ids.map((id) => view(id));
    const { client, load } = clientOf([
      { id: 'root', path: 'root', state: aState(), children },
      ...ids.map((id) => ({ id, path: `root/${id}`, state: aState({ runner: id }) })),
    ]);
    const { children: read } = await new TreeReader(client, {}).read('root');
    expect(read.map(({ workflowId }) => workflowId)).toEqual(ids);
    expect(load.most).toBe(10);
  });

  it('throws RunNotFound for a run that there is not', async () => {
    const { client } = clientOf([]);
    await expect(new TreeReader(client, {}).read('root')).rejects.toMatchObject({
      code: 'RunNotFound',
    });
  });

  describe('without a worker', () => {
    const asks = aQuestion({ path: 'root/both/left' });
    const runs: readonly Run[] = [
      { id: 'root', path: 'root', type: 'sequentialWorkflow', pending: [asks] },
      { id: 'first', path: 'root/first', caller: 'root' },
      { id: 'both', path: 'root/both', type: 'parallelWorkflow', caller: 'root' },
      { id: 'left', path: 'root/both/left', caller: 'both', pending: [asks] },
      { id: 'orphan', path: 'root/both', caller: 'root before a reset' },
    ];
    const listed = (path: string, fields: Partial<RunTree> = {}): RunTree => {
      const runner = path.split('/').at(-1) ?? '';
      const unknown = { turn: 0, iterations: 0, usage: usageOf(null) };
      return aTree({ workflowId: runner, runner, path, status: 'running', ...unknown, ...fields });
    };
    const tree = listed('root', {
      kind: 'sequential',
      status: 'needs-input',
      children: [
        listed('root/first'),
        listed('root/both', {
          kind: 'parallel',
          children: [listed('root/both/left', { status: 'needs-input', pending: [asks] })],
        }),
      ],
    });
    const list = "RootWorkflowId = 'it''s root'";

    it.each([
      { name: 'that is not asked', options: { withoutWorker: true }, asked: [] },
      { name: 'that does not answer', options: {}, asked: ['children root'] },
    ])('$name, goes by one look at the list', async ({ options, asked }) => {
      const { client, asked: wasAsked } = clientOf(runs);
      expect(await new TreeReader(client, options).read('root')).toEqual(tree);
      expect(wasAsked).toEqual([...asked, 'describe root', list]);
    });
  });
});
