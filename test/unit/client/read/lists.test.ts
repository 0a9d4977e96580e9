// Pure: the server's list is played.
import type { Client } from '@temporalio/client';
import { Longhaul } from '../../../../src/client/handles/longhaul';
import { stateFromMemo } from '../../../../src/client/read/run-view';
import { memoKey } from '../../../../src/protocol/names';
import type { RunMemo } from '../../../../src/protocol/run';

const memos: Readonly<Record<string, RunMemo>> = {
  pipeline: { status: 'running', agent: 'pipeline' },
  'pipeline.step-1': { status: 'needs-input', agent: 'writer', path: 'pipeline/writer' },
  'thread.turn-1': { status: 'running', agent: 'writer', path: 'writer/turn-1' },
  writer: { status: 'running', agent: 'writer' },
};

async function* list() {
  for (const [workflowId, memo] of Object.entries(memos)) {
    yield await Promise.resolve({
      workflowId,
      runId: 'execution',
      status: { name: 'RUNNING' },
      startTime: new Date(0),
      memo: { [memoKey]: memo },
    });
  }
}
/** As a server does: open runs first, then the others by their end. */
async function* listByEnd() {
  for (const minutes of [31, 37, 35, 29]) {
    yield await Promise.resolve({
      workflowId: `at-${minutes}`,
      runId: 'execution',
      status: { name: 'COMPLETED' },
      startTime: new Date(minutes * 60_000),
      memo: { [memoKey]: { agent: 'writer' } },
    });
  }
}

/** As a server does: the run that a reset began is open, the one that it ended is closed. */
async function* listReset({ query }: { query: string }) {
  const isAll = !query.includes("ExecutionStatus != 'ContinuedAsNew'");
  for (const name of ['RUNNING', 'TERMINATED', ...(isAll ? ['CONTINUED_AS_NEW'] : [])]) {
    yield await Promise.resolve({
      workflowId: 'refunds-1',
      runId: name,
      status: { name },
      startTime: new Date(0),
      memo: { [memoKey]: { agent: 'refunds', status: 'needs-input' } },
    });
  }
}

const longhaul = new Longhaul({ workflow: { list } } as unknown as Client, { taskQueue: 'queue' });

async function idsOf(filter: Parameters<Longhaul['runs']>[0]): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of longhaul.runs(filter)) ids.push(workflowId);
  return ids;
}

describe('runs', () => {
  it('leaves out what other runs called, unless asked for', async () => {
    expect(await idsOf({})).toEqual(['pipeline', 'writer']);
    expect(await idsOf({ children: true })).toEqual(Object.keys(memos));
  });

  it('lists the newest first, although the server sorts by the end', async () => {
    const client = { workflow: { list: listByEnd } } as unknown as Client;
    const ids: string[] = [];
    for await (const { workflowId } of new Longhaul(client, { taskQueue: 'queue' }).runs())
      ids.push(workflowId);
    expect(ids).toEqual(['at-37', 'at-35', 'at-31', 'at-29']);
  });

  it('lists a workflow id once, as it is now', async () => {
    const client = { workflow: { list: listReset } } as unknown as Client;
    const listed = async (filter: Parameters<Longhaul['runs']>[0]): Promise<string[]> => {
      const ids: string[] = [];
      for await (const { runId } of new Longhaul(client, { taskQueue: 'queue' }).runs(filter))
        ids.push(runId);
      return ids;
    };
    expect(await listed({})).toEqual(['RUNNING']);
    expect(await listed({ status: 'failed' })).toEqual([]);
  });

  it('shows a run whose memo somebody made up', async () => {
    const pending = [5] as unknown as RunMemo['pending'];
    const forged: RunMemo = { status: 'needs-input', agent: 'forged', ...(pending && { pending }) };
    expect(
      stateFromMemo({ runId: 'r', status: { name: 'RUNNING' }, memo: { [memoKey]: forged } }),
    ).toMatchObject({ status: 'needs-input', pending: [] });
  });

  it('filters by agent and status', async () => {
    expect(await idsOf({ agent: 'writer' })).toEqual(['writer']);
    expect(await idsOf({ status: 'needs-input', children: true })).toEqual(['pipeline.step-1']);
  });
});
