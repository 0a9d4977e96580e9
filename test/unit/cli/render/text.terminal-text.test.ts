// Pure: no server. Text of models and users on its way to a terminal.
import type { RunSummary } from '../../../../src/client';
import { createStyle, renderTable, terminalText } from '../../../../src/cli/render/text';
import { renderList } from '../../../../src/cli/render/render-list';
import { commandLine } from '../../../../src/cli/render/render-parts';
import { renderTranscript } from '../../../../src/cli/render/render-run';

const evil = '\u001b]0;owned\u0007\u001b[2J\u009b1Aevil\u202e\u2066\r\u0008';
const noMoves = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const options = { style: createStyle(false), width: 200 };

describe('terminalText', () => {
  it('keeps our colours, and nothing else that commands a terminal', () => {
    const { red, bold } = createStyle(true);
    expect(terminalText(bold(red(evil)))).toBe(bold(red('evil\n')));
    expect(terminalText('a\u001b[8mhidden\u001b[31;5mb\nc')).toBe('ahiddenb\nc');
  });
});

describe('a terminal is shown no command', () => {
  const call = { type: 'tool_result' as const, callId: 'c', name: evil, isError: true };
  const run = {
    workflowId: evil,
    agent: evil,
    status: 'running',
    startTime: '2026-01-01T00:00:00Z',
    pending: [{ question: evil }],
  } as unknown as RunSummary;

  it.each<[string, () => readonly string[]]>([
    [
      'a cell',
      () => renderTable(['NAME'], [[evil], [{ text: evil, paint: (text) => text }]], options),
    ],
    ['a list of runs', () => renderList([run], { ...options, now: new Date() })],
    ['a hint', () => [commandLine({ address: evil })(['approve', evil])]],
    [
      'a transcript',
      () =>
        renderTranscript([{ role: 'tool', parts: [{ ...call, content: [] }] }], {
          ...options,
          full: true,
        }),
    ],
  ])('by %s', (_name, render) => {
    const lines = render();
    expect(lines.join('\n')).toContain('evil');
    expect(lines.join('\n')).not.toMatch(noMoves);
  });
});
