// Pure: no server.
import {
  answerHints,
  type CommandLine,
  createEventRenderer,
  renderQuestion,
} from '../../../../src/cli/render/render-parts';
import { createStyle } from '../../../../src/cli/render/text';
import type { Decision, LogEvent } from '../../../../src/protocol/log';
import type { ApproverRule } from '../../../../src/protocol/people';
import type { AssistantPart, ToolCallPart, ToolResult } from '../../../../src/protocol/message';
import { text, userEvent } from '../../core/builders';
import { anApproval, anEvent, usageOf } from '../builders';

const call: ToolCallPart = {
  type: 'tool_call',
  callId: 'c1',
  name: 'get_weather',
  args: { city: 'Paris' },
};

const turn = (...content: AssistantPart[]): LogEvent => ({
  kind: 'model-turn',
  content,
  usage: usageOf(15),
});
const result = (fields: Partial<ToolResult>): LogEvent => ({
  kind: 'tool-result',
  result: {
    type: 'tool_result',
    callId: 'c1',
    name: 'get_weather',
    isError: false,
    content: [],
    ...fields,
  },
});
const decided = (decision: Decision): LogEvent => ({ kind: 'decision', decision });

describe('createEventRenderer', () => {
  it.each<{ name: string; event: LogEvent; lines: string[] }>([
    { name: 'an answer', event: userEvent('to\nRome'), lines: ['#1  you     to Rome'] },
    {
      name: 'a final text',
      event: turn({ type: 'reasoning', text: 'hm' }, text('It is warm.')),
      lines: ['#2  model   text · 15 tokens'],
    },
    {
      name: 'a text cut by the provider',
      event: {
        kind: 'model-turn',
        content: [text('It')],
        usage: usageOf(null),
        finishReason: 'length',
      },
      lines: ['#2  model   text · cut at the output limit'],
    },
    {
      name: 'calls after a text',
      event: turn(text('I\nlook.'), call, { ...call, args: null, rawArgs: '{"city":' }),
      lines: [
        '#2  model   I look.',
        '#2  call    get_weather {"city":"Paris"}',
        '#2  call    get_weather {"city":',
      ],
    },
    {
      name: 'a result',
      event: result({
        content: [text('\u001b[31mwarm\u001b]0;x\u0007'), { type: 'json', value: [1] }],
      }),
      lines: ['#1  result  get_weather warm [1]'],
    },
    {
      name: 'an image as a result',
      event: result({
        content: [
          { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AAAA' } },
        ],
      }),
      lines: ['#1  result  get_weather [image/png, 3 bytes]'],
    },
    {
      name: 'a failed call',
      event: result({ isError: true, content: [text('no such city')] }),
      lines: ['#1  error   get_weather no such city'],
    },
    {
      name: 'a long line, cut to the terminal',
      event: result({ content: [text('x'.repeat(100))] }),
      lines: [`#1  result  get_weather ${'x'.repeat(35)}…`],
    },
    {
      name: 'changed arguments',
      event: decided({ kind: 'edit-call', turn: 1, index: 0, args: { city: 'Rome' } }),
      lines: ['#1  note    a person changed the arguments to {"city":"Rome…'],
    },
    {
      name: 'a repaired call',
      event: decided({ kind: 'repair-call', index: 0, name: 'get_weather' }),
      lines: ['#1  note    call 1 is taken as get_weather'],
    },
    {
      name: 'an ignored call',
      event: decided({ kind: 'ignore-call', index: 1 }),
      lines: ['#1  note    call 2 is left out'],
    },
    {
      name: 'calls that were answered without running',
      event: decided({ kind: 'answer-calls', answers: [{ index: 0, text: 'no such tool' }] }),
      lines: ['#1  note    no such tool'],
    },
    {
      name: 'an override',
      event: decided({ kind: 'replace-turn', text: 'fixed' }),
      lines: ['#1  note    the response became: fixed'],
    },
    {
      name: 'feedback',
      event: decided({ kind: 'feedback', text: 'Say done.' }),
      lines: ['#1  note    Say done.'],
    },
    { name: 'the history', event: decided({ kind: 'history', messages: [] }), lines: [] },
    {
      name: 'a summary',
      event: { kind: 'summary', text: 'so far', through: 1 },
      lines: ['#1  summary so far'],
    },
    {
      name: 'cleared results',
      event: decided({ kind: 'clear-results', through: 1, over: 1_024 }),
      lines: ['#1  note    long results up to turn 1 are left out of later…'],
    },
  ])('shows $name', ({ event, lines }) => {
    const render = createEventRenderer({ style: createStyle(false), width: 60, turn: 1 });
    expect(render(anEvent(3, event))).toEqual(lines);
  });

  it('says what a compaction left out, if it followed the log from its start', () => {
    const render = createEventRenderer({ style: createStyle(false), width: 80 });
    const events = [
      userEvent('Hi'),
      turn(call),
      result({ content: [text('x'.repeat(2_048))] }),
      decided({ kind: 'clear-results', through: 1, over: 1_024 }),
      { kind: 'summary', text: 'so far', through: 1 } as const,
    ];
    const lines = events.flatMap((event, index) => render(anEvent(index, event)));
    expect(lines.slice(-2)).toEqual([
      '#1  context 1 result cleared, 2 KiB',
      '#1  context summary of turn 1, 1 KiB less: so far',
    ]);
  });

  it('numbers model turns and leaves the prompt out', () => {
    const render = createEventRenderer({ style: createStyle(false), width: 80 });
    const events = [
      userEvent('Hi'),
      turn(call),
      result({ content: [text('ok')] }),
      turn(text('Done')),
    ];
    expect(events.flatMap((event, index) => render(anEvent(index, event)))).toEqual([
      '#1  call    get_weather {"city":"Paris"}',
      '#1  result  get_weather ok',
      '#2  model   text · 15 tokens',
    ]);
  });
});

describe('renderQuestion', () => {
  const style = createStyle(false);
  const asked = 'planner asks for approval: May send_mail run?';

  it('shows a call once', () => {
    expect(renderQuestion(anApproval(), style)).toEqual([`${asked} {"to":"bob"}`]);
  });

  it('adds the call to a question that cuts it or shows a preview, and the preview only once', () => {
    const lines = (question: string, preview?: string) =>
      renderQuestion(anApproval({ question, ...(preview && { preview }) }), style);
    expect(lines('May send_mail run? {"to":…')).toEqual([
      `${asked} {"to":…`,
      '  send_mail {"to":"bob"}',
    ]);
    expect(lines('May send_mail run? A mail to Bob.', 'A mail to Bob.')).toEqual([
      `${asked} A mail to Bob.`,
      '  send_mail {"to":"bob"}',
    ]);
  });
});

describe('answerHints', () => {
  const words: CommandLine = (given) => given.join(' ');
  it.each<{ name: string; by?: ApproverRule; as: string }>([
    { name: 'nobody where anybody may', as: '' },
    { name: 'an id of the rule', by: { ids: ['ada'], roles: ['ops'] }, as: ' --as ada' },
    {
      name: 'a role of the rule',
      by: { roles: ['ops', 'lead'], approvals: 2 },
      as: ' --as you:ops',
    },
    { name: 'somebody where votes count', by: { approvals: 2 }, as: ' --as you' },
  ])('say who approves: $name', ({ by, as }) => {
    const input = { ...anApproval(), ...(by && { by }) };
    const [approve] = answerHints(input, { workflowId: 'r', command: words, isNamed: false });
    expect(approve).toEqual(['approve', `answer r --approve ${input.inputId}${as}`]);
  });
});
