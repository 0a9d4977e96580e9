// Pure: no server. The run's stream is a script.
import type { RunHandle, StreamEvent } from '../../../../src/client';
import { LiveView } from '../../../../src/cli/session/live-view';
import { emptyUsage } from '../../../../src/core/budget/usage';
import { fakeTerminal } from '../fake-terminal';

const usage = { ...emptyUsage, totalTokens: 15 };

/** Events of a turn of the run, or of the run `branch` below it. */
function turnOf(branch: string | undefined, deltas: readonly string[], call?: string) {
  const place = {
    root: 'run-1',
    workflowId: branch === undefined ? 'run-1' : `run-1.${branch}`,
    path: branch === undefined ? 'boss' : `boss/${branch}`,
    agent: branch ?? 'boss',
    position: 'p',
    turn: 1,
  } as const;
  const text = { type: 'text', text: deltas.join('') } as const;
  const calls =
    call === undefined ? [] : [{ type: 'tool_call', callId: 'c', name: call, args: {} }];
  return [
    { ...place, type: 'step-begin', attempt: 1 },
    ...deltas.map((delta) => ({ ...place, type: 'text', part: 0, delta })),
    { ...place, type: 'step-end', content: [text, ...calls], usage },
  ] as readonly StreamEvent[];
}

async function shown(
  events: readonly StreamEvent[],
  { typed, json = false }: { typed?: readonly string[]; json?: boolean } = {},
) {
  const terminal = fakeTerminal(typed && { typed });
  const run = {
    workflowId: 'run-1',
    stream: async function* () {
      await Promise.resolve();
      yield* events;
    },
  } as unknown as RunHandle;
  const view = new LiveView({ run, terminal, json });
  await view.settled('end');
  return { terminal, view };
}

describe('the view of a run that works', () => {
  it('streams text on a terminal, one run at a time', async () => {
    const own = turnOf(undefined, ['Hel', 'lo.']);
    const other = turnOf('clerk', ['Me ', 'too.'], 'look');
    const { terminal, view } = await shown(
      [...own.slice(0, 2), ...other.slice(0, 3), ...own.slice(2), ...other.slice(3)],
      { typed: [] },
    );
    expect(terminal.written.join('')).toBe('Hello.\n');
    expect(terminal.noted).toEqual(['clerk #1  model   Me too.', 'clerk #1  call    look {}']);
    expect([view.hasSaid('Hello.'), view.hasSaid('Me too.')]).toEqual([true, false]);
  });

  it('says who speaks, if it is a run below', async () => {
    const { terminal } = await shown(turnOf('clerk', ['Done.']), { typed: [] });
    expect(terminal.noted).toEqual(['boss/clerk']);
    expect(terminal.written.join('')).toBe('Done.\n');
  });

  it('prints whole lines elsewhere, of the runs below', async () => {
    const { terminal } = await shown([
      ...turnOf(undefined, ['Hello.']),
      ...turnOf('clerk', ['Do', 'ne.']),
    ]);
    expect(terminal.written).toEqual([]);
    expect(terminal.noted).toEqual(['clerk #1  model   Done. · 15 tokens']);
  });

  it('prints each event as JSON if it is asked for that', async () => {
    const events = turnOf('clerk', ['Done.']);
    const { terminal } = await shown(events, { typed: [], json: true });
    expect(terminal.printed.map((line) => JSON.parse(line) as unknown)).toEqual(
      events.map((event) => ({ kind: 'stream', ...event })),
    );
    expect(terminal.written).toEqual([]);
  });
});
