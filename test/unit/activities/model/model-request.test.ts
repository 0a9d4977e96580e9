// Pure: no server, no provider.
import {
  sendableCalls,
  toModelRequest,
  wholeCharacters,
} from '../../../../src/activities/model/model-request';
import type { ToolChoice } from '../../../../src/protocol/agent-run';
import type { Message } from '../../../../src/protocol/message';
import type { Definition } from '../../../../src/protocol/spec';

const find = { name: 'find', description: 'Finds', inputSchema: { type: 'object' } };

function definitionWith(toolChoice: ToolChoice): Definition {
  const agent = {
    kind: 'agent' as const,
    id: 'a',
    model: { provider: 'x', model: 'y' },
    tools: ['find'],
    toolChoice,
  };
  return { format: 1, runner: 'a', runners: { a: agent }, tools: { find } };
}

const question: Message = { role: 'user', parts: [{ type: 'text', text: 'Where?' }] };

describe('the tool choice of a model call', () => {
  it.each([
    { toolChoice: 'auto', first: 'auto', later: 'auto' },
    { toolChoice: 'none', first: 'none', later: 'none' },
    { toolChoice: 'required', first: 'required', later: 'auto' },
    { toolChoice: { only: ['find'] }, first: { only: ['find'] }, later: 'auto' },
  ] as const)(
    '$toolChoice forces a tool until there are results',
    ({ toolChoice, first, later }) => {
      const ask = (hasResults: boolean) =>
        toModelRequest({
          definition: definitionWith(toolChoice),
          agentId: 'a',
          messages: [question],
          hasResults,
          cacheKey: 'k',
        }).toolChoice;
      expect([ask(false), ask(true)]).toEqual([first, later]);
    },
  );
});

type Call = readonly [callId: string, name: string];

const turn = (...calls: readonly Call[]): Message => ({
  role: 'assistant',
  parts: calls.map(([callId, name]) => ({ type: 'tool_call', callId, name, args: {} })),
});
const results = (...calls: readonly Call[]): Message => ({
  role: 'tool',
  parts: calls.map(([callId, name], index) => ({
    type: 'tool_result',
    callId,
    name,
    isError: false,
    content: [{ type: 'text', text: String(index) }],
  })),
});

const callsIn = (messages: readonly Message[]): Call[] =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part): Call[] =>
      part.type === 'tool_call' || part.type === 'tool_result' ? [[part.callId, part.name]] : [],
    ),
  );

describe('calls in a request', () => {
  it.each([
    'multi_tool_use.parallel',
    'functions.find',
    '../find',
    '',
    'find it',
    'suche.ä',
    'x'.repeat(65),
  ])('are sent as invalid_name when their name is %j', (name) => {
    const sent = callsIn(sendableCalls([turn(['1', name]), results(['1', name])]));
    expect(sent).toEqual([
      ['1', 'invalid_name'],
      ['1', 'invalid_name'],
    ]);
  });

  it('keep a name of 64 characters and an id of their own', () => {
    const messages = [
      turn(['functions.find:0', 'x'.repeat(64)]),
      results(['functions.find:0', 'x']),
    ];
    expect(sendableCalls(messages)).toEqual(messages);
  });

  it('get ids of their own in one turn and over turns, and their results with them', () => {
    const same: readonly Call[] = [
      ['0', 'find'],
      ['0', 'find'],
    ];
    const messages = [turn(...same), results(...same), turn(['0', 'find']), results(['0', 'find'])];
    const sent = sendableCalls(messages);
    expect(callsIn(sent).map(([callId]) => callId)).toEqual(['0', '0_2', '0', '0_2', '0_3', '0_3']);
    expect(sendableCalls(messages.slice(0, 2))).toEqual(sent.slice(0, 2));
  });

  it('take no id that is there already', () => {
    const calls: readonly Call[] = [
      ['0_2', 'find'],
      ['0', 'find'],
      ['0', 'find'],
    ];
    const sent = callsIn(sendableCalls([turn(...calls), results(...calls)]));
    expect(sent.map(([callId]) => callId)).toEqual(['0_2', '0', '0_3', '0_2', '0', '0_3']);
  });
});

const sealed = { api: 'a', model: 'm', data: '\ud83d' };

describe('wholeCharacters', () => {
  it('returns what is whole as it is', () => {
    const request = { messages: [{ role: 'user', parts: [{ type: 'text', text: '👋', sealed }] }] };
    expect(wholeCharacters(request)).toBe(request);
  });

  it('mends halves wherever they stand, but for what is sealed', () => {
    const part = { type: 'json', value: { 'a\ud83d': ['\udc4b', 1, null, true] }, sealed };
    expect(wholeCharacters({ instructions: 'cut \ud83d', parts: [part] })).toEqual({
      instructions: 'cut \ufffd',
      parts: [{ type: 'json', value: { 'a\ufffd': ['\ufffd', 1, null, true] }, sealed }],
    });
  });

  it('keeps a key named like the prototype', () => {
    const args = JSON.parse('{"__proto__":"\\ud83d"}') as object;
    expect(JSON.stringify(wholeCharacters(args))).toBe('{"__proto__":"\ufffd"}');
  });
});
