// Pure: no server. The thread is played by a script.
import { chat } from '../../../../src/cli/commands/chat';
import { commandLine } from '../../../../src/cli/render/render-parts';
import { renderThreads } from '../../../../src/cli/render/render-list';
import { createStyle } from '../../../../src/cli/render/text';
import type { ThreadHandle, TurnView } from '../../../../src/client';
import { LonghaulError } from '../../../../src/protocol/errors';
import { usageOf } from '../builders';
import { fakeTerminal } from '../fake-terminal';

const command = commandLine({});

/** A thread that answers each message by its own text; `fail` fails. */
function threadOf(turns: readonly TurnView[] = []): { thread: ThreadHandle; told: string[] } {
  const told: string[] = [];
  const turn = (text: string, number: number) => ({
    workflowId: `run-${number}`,
    turn: number,
    follow: async function* () {},
    outcome: async () => {
      if (text === 'fail') throw new LonghaulError('ToolError', 'it broke');
      const finalResponse = { text: `<${text}>`, content: [] };
      const facts = { iterations: 0, completionReason: 'text response', usage: usageOf(15) };
      return { kind: 'complete', result: { finalResponse, ...facts, session: {} } };
    },
  });
  const thread = {
    turns: async () => turns,
    turn: (view: TurnView) => turn(view.user as string, view.turn),
    send: async (text: string) => {
      told.push(text);
      return turn(text, told.length);
    },
    clear: async () => void told.push('(cleared)'),
  } as unknown as ThreadHandle;
  return { thread, told };
}

function view(turn: number, more: Partial<TurnView>): TurnView {
  const ids = {
    messageId: `m-${turn}`,
    workflowId: `run-${turn}`,
    createdAt: '2026-01-01T00:00:00Z',
  };
  return { ...ids, turn, status: 'completed', user: `said ${turn}`, ...more };
}

describe('chat', () => {
  it('shows what was said, follows what is being answered, and talks on', async () => {
    const { thread, told } = threadOf([
      view(1, { assistant: 'answer 1' }),
      view(2, { status: 'failed', failure: { message: 'broken' } }),
      view(3, { status: 'running' }),
    ]);
    const terminal = fakeTerminal({ typed: ['hello', '  ', '/help', '/clear', '/exit', 'unread'] });
    expect(await chat({ thread, terminal, command })).toBe(0);
    expect(terminal.printed).toEqual([
      'you > said 1',
      'answer 1',
      'you > said 2',
      'failed: broken',
      'you > said 3',
      '<said 3>',
      '<hello>',
    ]);
    expect(told).toEqual(['hello', '(cleared)']);
    expect(terminal.noted).toContain('forgotten');
  });

  it('goes on after a turn that failed', async () => {
    const { thread } = threadOf();
    const terminal = fakeTerminal({ typed: ['fail', 'again'] });
    expect(await chat({ thread, terminal, command })).toBe(0);
    expect(terminal.noted).toContain('error: it broke');
    expect(terminal.printed).toEqual(['<again>']);
  });

  it('says the given lines where nobody is asked, and tells of a failure by its exit code', async () => {
    const { thread, told } = threadOf([view(1, { assistant: 'not shown' })]);
    const terminal = fakeTerminal();
    expect(await chat({ thread, terminal, command, lines: ['one', '', 'fail', 'two'] })).toBe(1);
    expect(terminal.printed).toEqual(['<one>', '<two>']);
    expect(told).toEqual(['one', 'fail', 'two']);
    expect(terminal.asked).toEqual([]);
  });
});

it('renderThreads has a line per thread, by its session or else its id', () => {
  const facts = { agent: 'helper', startTime: '2026-01-01T00:00:00Z', pending: [] };
  const key = { appName: 'shop', userId: 'ada', sessionId: 's-1' };
  const lines = renderThreads(
    [
      { threadId: 'thread:shop/ada/s-1', key, status: 'running', ...facts },
      { threadId: 'thread:x', status: 'running', ...facts },
    ],
    { style: createStyle(false), now: new Date('2026-01-01T02:00:00Z') },
  );
  expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['SESSION', 'USER', 'APP', 'AGENT', 'STATUS', 'AGE', 'WAITS FOR'],
    ['s-1', 'ada', 'shop', 'helper', 'running', '2 h'],
    ['thread:x', 'helper', 'running', '2 h'],
  ]);
});
