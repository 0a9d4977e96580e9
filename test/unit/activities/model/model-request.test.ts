// Pure: no server, no provider.
import { toModelRequest } from '../../../../src/activities/model/model-request';
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
const result: Message = {
  role: 'tool',
  parts: [{ type: 'tool_result', callId: '1', name: 'find', isError: false, content: [] }],
};

describe('the tool choice of a model call', () => {
  it.each([
    { toolChoice: 'auto', first: 'auto', later: 'auto' },
    { toolChoice: 'none', first: 'none', later: 'none' },
    { toolChoice: 'required', first: 'required', later: 'auto' },
    { toolChoice: { only: ['find'] }, first: { only: ['find'] }, later: 'auto' },
  ] as const)(
    '$toolChoice forces a tool until there are results',
    ({ toolChoice, first, later }) => {
      const ask = (messages: readonly Message[]) =>
        toModelRequest({
          definition: definitionWith(toolChoice),
          agentId: 'a',
          messages,
          cacheKey: 'k',
        }).toolChoice;
      expect([ask([question]), ask([question, result])]).toEqual([first, later]);
    },
  );
});
