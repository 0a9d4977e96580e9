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

function shown(
  events: readonly StreamEvent[],
  { typed, json = false }: { typed?: readonly string[]; json?: boolean } = {},
) {
  const terminal = fakeTerminal(typed && { typed });
  const view = new LiveView({ run: { workflowId: 'run-1' } as RunHandle, terminal, json });
  for (const event of events) view.tell(event);
  return { terminal, view };
}

describe('the view of a run that works', () => {
  it('streams text on a terminal, one run at a time', () => {
    const own = turnOf(undefined, ['Hel', 'lo.']);
    const other = turnOf('clerk', ['Me ', 'too.'], 'look');
    const { terminal, view } = shown(
      [...own.slice(0, 2), ...other.slice(0, 3), ...own.slice(2), ...other.slice(3)],
      { typed: [] },
    );
    expect(terminal.written.join('')).toBe('Hello.\n');
    expect(terminal.noted).toEqual(['clerk #1  model   Me too.', 'clerk #1  call    look {}']);
    expect([view.hasSaid('Hello.'), view.hasSaid('Me too.')]).toEqual([true, false]);
  });

  it('ends its line if somebody else writes, and tells the rest as a whole', () => {
    const terminal = fakeTerminal({ typed: [] });
    const view = new LiveView({
      run: { workflowId: 'run-1' } as RunHandle,
      terminal,
      json: false,
    });
    const [begin, first, ...rest] = turnOf('clerk', ['Me ', 'too.']);
    for (const event of [begin, first]) view.tell(event as StreamEvent);
    view.rest();
    for (const event of rest) view.tell(event);
    expect(terminal.written.join('')).toBe('Me \n');
    expect(terminal.noted).toEqual(['boss/clerk', 'clerk #1  model   Me too. · 15 tokens']);
  });

  it('says who speaks, if it is a run below', () => {
    const { terminal } = shown(turnOf('clerk', ['Done.']), { typed: [] });
    expect(terminal.noted).toEqual(['boss/clerk']);
    expect(terminal.written.join('')).toBe('Done.\n');
  });

  it('prints whole lines elsewhere, of the runs below', () => {
    const { terminal } = shown([
      ...turnOf(undefined, ['Hello.']),
      ...turnOf('clerk', ['Do', 'ne.']),
    ]);
    expect(terminal.written).toEqual([]);
    expect(terminal.noted).toEqual(['clerk #1  model   Done. · 15 tokens']);
  });

  it('prints each event as JSON if it is asked for that', () => {
    const events = turnOf('clerk', ['Done.']);
    const { terminal } = shown(events, { typed: [], json: true });
    expect(terminal.printed.map((line) => JSON.parse(line) as unknown)).toEqual(
      events.map((event) => ({ kind: 'stream', ...event })),
    );
    expect(terminal.written).toEqual([]);
  });
});
