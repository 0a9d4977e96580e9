// Pure: no server.
import { withoutOpenCalls } from '../../../../src/cli/session/read-run';
import { commandLine } from '../../../../src/cli/render/render-parts';
import { renderRun, renderTranscript } from '../../../../src/cli/render/render-run';
import { createStyle } from '../../../../src/cli/render/text';
import type { LogEvent } from '../../../../src/protocol/log';
import type { Message, ToolResult } from '../../../../src/protocol/message';
import { anApproval, anEvent, aQuestion, aState, aTree, usageOf } from '../builders';
import { text } from '../../core/builders';

const toolResult = (fields: Partial<ToolResult>): ToolResult => ({
  type: 'tool_result',
  callId: 'c1',
  name: 'get_weather',
  isError: false,
  content: [],
  ...fields,
});
const callOf = (callId: string) =>
  ({ type: 'tool_call', callId, name: 'get_weather', args: { city: 'Paris' } }) as const;

const conversation: readonly Message[] = [
  { role: 'system', parts: [text('Be brief.')] },
  { role: 'user', parts: [text('How warm?\nIn Paris.')] },
  {
    role: 'assistant',
    parts: [{ type: 'reasoning', text: 'secret' }, text('I look.'), callOf('c1'), callOf('c2')],
  },
  {
    role: 'tool',
    parts: [
      toolResult({ content: [{ type: 'json', value: { celsius: 22, wind: 'from the west' } }] }),
      toolResult({ isError: true, content: [text('no\nanswer')] }),
    ],
  },
  { role: 'assistant', parts: [text('22\u001b[31m degrees')] },
];

const style = createStyle(false);

describe('renderTranscript', () => {
  it('shows what was said in full, calls and results on a line each', () => {
    expect(renderTranscript(conversation, { style, width: 40 })).toEqual([
      'system',
      '  Be brief.',
      '',
      'user',
      '  How warm?',
      '  In Paris.',
      '',
      'assistant',
      '  I look.',
      '  → get_weather {"city":"Paris"}',
      '  → get_weather {"city":"Paris"}',
      '',
      'tool',
      '  ← get_weather {"celsius":22,"wind":"f…',
      '  ✗ get_weather no answer',
      '',
      'assistant',
      '  22 degrees',
      '',
    ]);
  });

  it('cuts nothing when it is asked for everything', () => {
    const lines = renderTranscript(conversation.slice(3, 4), { style, width: 10, full: true });
    expect(lines).toEqual([
      'tool',
      '  ← get_weather',
      '  {',
      '    "celsius": 22,',
      '    "wind": "from the west"',
      '  }',
      '  ✗ get_weather',
      '  no',
      '  answer',
      '',
    ]);
  });
});

describe('renderRun', () => {
  const command = commandLine({ address: '127.0.0.1:1', agents: 'my agents.mjs' });
  const options = { style, width: 80, command };

  it('tells what a run waits for and how it is answered', () => {
    const pending = [
      aQuestion({ options: ['Paris', 'Rome'], path: 'trip/planner' }),
      anApproval(),
      aQuestion({ inputId: 'b1', kind: 'budget', question: 'More?' }),
    ];
    const state = aState({ status: 'needs-input', pending, iterations: 0, turn: 1 });
    const flags = "--address 127.0.0.1:1 --agents 'my agents.mjs'";
    expect(
      renderRun(
        { workflowId: 'r/1', transcript: [], compactions: [], state, tree: aTree() },
        options,
      ),
    ).toEqual([
      'r/1  needs-input',
      'planner · 1 model turn · 30 tokens',
      '',
      'trip/planner asks: Which city?',
      '  1. Paris',
      '  2. Rome',
      'planner asks for approval: May send_mail run? {"to":"bob"}',
      'planner asks: More?',
      `answer with:  npx longhaul answer r/1 'your answer' --input-id q1 ${flags}`,
      `approve with: npx longhaul answer r/1 --approve a1.0 ${flags}`,
      `refuse with:  npx longhaul answer r/1 --reject a1.0 'the reason' ${flags}`,
      `add with:     npx longhaul answer r/1 'amount to add, or stop' --input-id b1 ${flags}`,
    ]);
  });

  it('tells why a run failed', () => {
    const end = { error: { code: 'ToolError', message: 'no network', details: {} } };
    const state = aState({ status: 'failed', usage: usageOf(null) });
    const lines = renderRun(
      { workflowId: 'r1', state, tree: aTree(), transcript: [], compactions: [], end },
      options,
    );
    expect(lines).toEqual([
      'r1  failed',
      'planner · 2 model turns · 1 tool round',
      '',
      'ToolError: no network',
    ]);
  });

  it('tells what the model no longer sees', () => {
    const compactions = [
      { index: 9, turn: 4, text: '3 results cleared, 41 KiB' },
      { index: 20, turn: 9, text: 'summary of turns 1 to 5, 12 KiB less: They\nread.' },
    ];
    const run = { workflowId: 'r1', transcript: [], compactions, tree: aTree() };
    expect(renderRun({ ...run, state: aState({}) }, { ...options, width: 60 }).slice(-3)).toEqual([
      'context',
      '  after turn 4: 3 results cleared, 41 KiB',
      '  after turn 9: summary of turns 1 to 5, 12 KiB less: They…',
    ]);
  });
});

describe('withoutOpenCalls', () => {
  const tool = (...callIds: string[]): Message => ({
    role: 'tool',
    parts: callIds.map((callId) => toolResult({ callId })),
  });
  const asked: Message = { role: 'assistant', parts: [callOf('c1'), callOf('c2')] };
  const turn: LogEvent = { kind: 'model-turn', content: asked.parts, usage: usageOf(null) };
  const done: LogEvent = { kind: 'tool-result', result: toolResult({ callId: 'c1' }) };
  const answered: LogEvent = { kind: 'decision', decision: { kind: 'answer-calls', answers: [] } };

  it.each([
    { name: 'none has a result', events: [turn], shown: [asked] },
    { name: 'one has a result', events: [turn, done], shown: [asked, tool('c1')] },
    { name: 'none ran', events: [turn, answered], shown: [asked, tool('c1', 'c2')] },
    { name: 'the results are of an earlier turn', events: [done, turn], shown: [asked] },
  ])('leaves out the closing of open calls when $name', ({ events, shown }) => {
    const entries = events.map((event, index) => anEvent(index, event).entry);
    expect(withoutOpenCalls([asked, tool('c1', 'c2')], entries)).toEqual(shown);
  });
});
