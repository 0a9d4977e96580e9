// Pure: no server.
import type { AgentConfig, ToolConfig } from '../../../../src/protocol/activities';
import type { AgentRunResponse } from '../../../../src/core/machine/steps';
import type { FinishReason } from '../../../../src/protocol/message';
import { noUsage } from '../../core/builders';
import { machineOptions, planResultOf } from '../../../../src/workflows/run/machine-options';
import { config } from '../loop-config';

const tool = (name: string, needsApproval?: ToolConfig['needsApproval']): ToolConfig => ({
  name,
  ...(needsApproval !== undefined && { needsApproval }),
});

const defaults = {
  maxIterations: 10,
  maxTurns: 25,
  maxInvalidToolCallRetries: 3,
  maxConsecutiveMalformedToolCalls: 3,
  askUser: false,
};
const structured = { kind: 'structured-output', schema: { type: 'object' } } as const;

describe('what an agent says to its loop', () => {
  it.each<{ name: string; agent: Partial<AgentConfig>; expected: object }>([
    { name: 'nothing', agent: {}, expected: {} },
    {
      name: 'another number of rounds, which the model calls follow',
      agent: { maxIterations: 3 },
      expected: { maxIterations: 3, maxTurns: 11 },
    },
    {
      name: 'no rounds',
      agent: { maxIterations: 0 },
      expected: { maxIterations: 0, maxTurns: 5 },
    },
    { name: 'a number of model calls', agent: { maxTurns: 2 }, expected: { maxTurns: 2 } },
    {
      name: 'how often it is told of invalid calls',
      agent: { maxInvalidToolCalls: 0 },
      expected: { maxInvalidToolCallRetries: 0, maxConsecutiveMalformedToolCalls: 0 },
    },
    {
      name: 'that an invalid call fails it',
      agent: { onInvalidToolCall: 'fail' },
      expected: { onInvalidToolCall: 'fail' },
    },
    {
      name: 'so with callbacks, which are asked first',
      agent: { onInvalidToolCall: 'fail', callbackSession: [] },
      expected: {},
    },
    {
      name: 'which calls a person decides about; of others a function is asked',
      agent: { tools: [tool('pay', true), tool('look'), tool('move', 'ask')] },
      expected: { approvals: ['pay'] },
    },
    {
      name: 'an output, which is the last of its criteria',
      agent: {
        criteria: [{ kind: 'keyword', keyword: 'DONE' }],
        output: { schema: structured.schema },
      },
      expected: { criteria: [{ kind: 'keyword', keyword: 'DONE' }, structured] },
    },
  ])('is $name', ({ agent, expected }) => {
    expect(machineOptions(config(agent))).toEqual({ ...defaults, ...expected });
  });
});

describe('the result of an agent', () => {
  const responseOf = (response: Partial<AgentRunResponse>): AgentRunResponse => ({
    text: 'First',
    content: [{ type: 'text', text: 'First' }],
    usage: noUsage,
    completionCalls: [],
    messages: [],
    iterations: 0,
    completionReason: 'text response',
    ...response,
  });
  const ended = (finishReason: FinishReason): Partial<AgentRunResponse> => ({
    completionCalls: [{ callIndex: 0, turn: 1, usage: noUsage, finishReason }],
  });
  const refusal = (text: string): Partial<AgentRunResponse> => ({
    completionReason: 'refused',
    content: [{ type: 'refusal', text }],
  });

  it.each([
    { name: 'is whole', response: ended('stop'), warnings: undefined },
    {
      name: 'was cut',
      response: ended('length'),
      warnings: [
        'the answer was cut at the limit of output tokens: raise settings.maxOutputTokens',
      ],
    },
    {
      name: 'was refused',
      response: refusal('I cannot\nhelp.'),
      warnings: ['the model refused to answer: I cannot help.'],
    },
    {
      name: 'was refused without a word',
      response: refusal(''),
      warnings: ['the model refused to answer'],
    },
  ])('says whether the answer $name', ({ response, warnings }) => {
    expect(planResultOf(responseOf(response)).warnings).toEqual(warnings);
  });
});
