// Pure: no server. The server's list and its descriptions are doubles.
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { findOrphans } from '../../../../src/client/server/orphans';
import { keyHashes } from '../../../../src/core/key-hashes';
import { startMemo } from '../../../../src/core/run-start';

type Run = {
  readonly id: string;
  /** Temporal's run id; default `<id>/1`. */
  readonly execution?: string;
  readonly caller?: { readonly workflowId: string; readonly runId: string };
  /** As its memo has it, of a child only. */
  readonly path?: string;
  readonly user?: string;
  /** As the server describes it; undefined: it knows no such run. */
  readonly status?: string | undefined;
  readonly children?: readonly string[];
};

/** A client of a namespace that lists all of these as open, and notes what it is asked. */
function clientOf(runs: readonly Run[]): { client: Client; asked: string[] } {
  const asked: string[] = [];
  const executionOf = ({ id, execution = `${id}/1` }: Run): string => execution;
  async function* list(): AsyncGenerator<object, void, void> {
    for (const run of runs) {
      yield {
        workflowId: run.id,
        runId: executionOf(run),
        status: { name: 'RUNNING' },
        startTime: new Date(0),
        memo: startMemo({
          agent: 'a',
          ...(run.path && { path: run.path }),
          key: keyHashes({ ...(run.user && { userId: run.user }) }),
        }),
        ...(run.caller && { parentExecution: run.caller }),
      };
    }
  }
  const describe = async (id: string): Promise<object> => {
    asked.push(id);
    const run = runs.find((each) => each.id === id);
    const { status } = { status: 'RUNNING', ...run };
    if (run === undefined || status === undefined) {
      throw new WorkflowNotFoundError('workflow not found', id, undefined);
    }
    const pendingChildren = (run.children ?? []).map((workflowId) => ({ workflowId }));
    return { status: { name: status }, raw: { pendingChildren } };
  };
  const client = {
    withDeadline: (_deadline: number, call: () => Promise<unknown>) => call(),
    workflow: { list, getHandle: (id: string) => ({ describe: () => describe(id) }) },
  };
  return { client: client as unknown as Client, asked };
}

const caller = (workflowId: string, runId = `${workflowId}/1`) => ({ workflowId, runId });
const child = { id: 'child', path: 'root/child', caller: caller('root') } as const;

describe('findOrphans', () => {
  it.each<{ name: string; runs: readonly Run[]; orphans: string[]; asked: string[] }>([
    {
      name: 'nobody whose caller is open, and asks nothing',
      runs: [{ id: 'root' }, child],
      orphans: [],
      asked: [],
    },
    {
      name: 'those that a reset of their caller left behind',
      runs: [{ id: 'root', execution: 'root/2', children: ['other'] }, child],
      orphans: ['child'],
      asked: ['root', 'child'],
    },
    {
      name: 'nobody whom a reset of the caller kept',
      runs: [{ id: 'root', execution: 'root/2', children: ['child'] }, child],
      orphans: [],
      asked: ['root'],
    },
    {
      name: 'those whose caller the server forgot, but not what hangs below them',
      runs: [child, { id: 'grandchild', path: 'root/child/x', caller: caller('child') }],
      orphans: ['child'],
      asked: ['root', 'child'],
    },
    {
      name: 'nobody who has ended since',
      runs: [{ ...child, status: 'TERMINATED' }],
      orphans: [],
      asked: ['root', 'child'],
    },
    {
      name: "nobody whom a workflow of the user's own started",
      runs: [{ id: 'run', caller: caller('own') }],
      orphans: [],
      asked: [],
    },
    {
      name: 'the caller of many once',
      runs: [child, { ...child, id: 'second' }],
      orphans: ['child', 'second'],
      asked: ['root', 'child', 'second'],
    },
  ])('finds $name', async ({ runs, orphans, asked }) => {
    const { client, asked: wasAsked } = clientOf(runs);
    expect((await findOrphans(client)).orphans.map(({ workflowId }) => workflowId)).toEqual(
      orphans,
    );
    expect(wasAsked).toEqual(asked);
  });

  it('finds those of a user, and asks for no others', async () => {
    const { client, asked } = clientOf([
      { ...child, user: 'ada' },
      { ...child, id: 'other' },
    ]);
    const { orphans } = await findOrphans(client, { key: { userId: 'ada' } });
    expect(orphans.map(({ workflowId }) => workflowId)).toEqual(['child']);
    expect(asked).toEqual(['root', 'child']);
  });

  it('looks at no more than it is told to, and says so', async () => {
    const { client } = clientOf([child, { ...child, id: 'second' }, { id: 'third' }]);
    const { orphans, isAll } = await findOrphans(client, {}, 1);
    expect([orphans.map(({ workflowId }) => workflowId), isAll]).toEqual([['child'], false]);
    expect((await findOrphans(client, {}, 3)).isAll).toBe(true);
  });

  it('tells where each hung', async () => {
    const { client } = clientOf([child]);
    expect((await findOrphans(client)).orphans).toEqual([
      {
        workflowId: 'child',
        runId: 'child/1',
        agent: 'a',
        path: 'root/child',
        status: 'running',
        callerWorkflowId: 'root',
        startTime: '1970-01-01T00:00:00.000Z',
      },
    ]);
  });
});
