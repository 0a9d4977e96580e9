// Pure: no server, but the clock of the machine. The server is a table of what each run has at each look.
import { RunFollower } from '../../../../src/client/stream/run-follower';
import type { RunSource } from '../../../../src/client/stream/run-source';
import { StreamCursor } from '../../../../src/client/stream/stream-cursor';
import type { StreamEvent } from '../../../../src/core/stream/events';
import type { LogEntry } from '../../../../src/protocol/log';
import type { RunState } from '../../../../src/protocol/run';
import { call } from '../../core/builders';
import { said, turn } from '../../core/stream/course';

const asked = { inputId: 'a1.0', kind: 'approval', question: 'May it run?' };

/** `lengths`: how much history each look finds. The last one stays. */
function source(name: string, lengths: number[], log: readonly LogEntry[]): RunSource {
  const isRoot = name === 'root';
  const memo = { agent: name, path: name, status: 'needs-input', pending: isRoot ? [asked] : [] };
  let length = 0;
  const find = (): object => {
    length = lengths.shift() ?? length;
    return {
      workflowId: name,
      runId: 'r',
      type: 'agentWorkflow',
      historyLength: length,
      status: { name: 'RUNNING' },
      memo: { longhaul: memo },
      raw: isRoot ? { pendingChildren: [{ workflowId: 'below' }] } : {},
    };
  };
  return {
    describe: () => Promise.resolve(find() as never),
    state: () =>
      Promise.resolve({
        status: 'needs-input',
        pauseSeq: 1,
        pending: [asked],
      } as unknown as RunState),
    log: (from) => Promise.resolve(log.slice(from, length)),
    closedLog: () => Promise.resolve([]),
    children: () =>
      Promise.resolve(
        isRoot
          ? [{ workflowId: 'below', runner: 'below', path: 'root/below', status: 'open' as const }]
          : [],
      ),
    result: () => Promise.reject(new Error('it has not ended')),
  };
}

const entry = (event: object, id: number): LogEntry => ({ ...event, id: `e${id}` }) as never;

describe('a stream of a tree', () => {
  it.each<{ name: string; below: number[] }>([
    { name: 'what was there before', below: [2] },
    { name: 'what came while it looked', below: [1, 2] },
  ])('tells of a run below that waits $name, and then the pause', async ({ below }) => {
    const log = [said('Go.'), turn(call('c1'))].map(entry);
    const sources = new Map([
      ['root', source('root', [2], log)],
      ['below', source('below', below, log)],
    ]);
    const sourceOf = (id: string): RunSource => sources.get(id) as RunSource;
    const follower = new RunFollower('root', { sourceOf, deltas: undefined, tree: true });
    const cursor = new StreamCursor(follower, { places: new Map() });
    const reading = follower.follow();
    const told: string[] = [];
    while (told.at(-1) !== 'root paused') {
      const event = cursor.next() as StreamEvent | undefined;
      if (event === undefined) await follower.changed(undefined);
      else told.push(`${event.workflowId} ${event.type}`);
    }
    follower.stop();
    await reading;
    expect(told).toContain('below step-end');
  });
});
