// Pure: no server.
import type { AssistantPart } from '../../../src/protocol/message';
import { callWithOutputTool, canOfferOutputTool } from '../../../src/providers/output-tool';
import type { ModelDelta, ModelRequest, ModelResponse } from '../../../src/providers/provider';

const inputSchema = { type: 'object' };
const lookUp = { name: 'look_up', description: 'Looks a word up', inputSchema };
const output = { name: 'output', schema: { type: 'object', required: ['city'] } };
const base: ModelRequest = {
  model: 'one',
  messages: [],
  tools: [lookUp],
  toolChoice: 'auto',
  settings: {},
  cacheKey: 'run-1',
};
const request = { ...base, output };

const call = (name: string, args: { city: string } | null): AssistantPart => ({
  type: 'tool_call',
  callId: 'call_1',
  name,
  args,
  ...(args === null && { rawArgs: '{"city":' }),
});
const reasoning: AssistantPart = { type: 'reasoning', text: 'Hm.' };
const text: AssistantPart = { type: 'text', text: 'Here it is.' };

async function answered(
  content: readonly AssistantPart[],
  { asked = request, deltas = [] as readonly ModelDelta[] } = {},
) {
  const requests: ModelRequest[] = [];
  const shown: ModelDelta[] = [];
  const options = {
    signal: new AbortController().signal,
    onActivity: () => undefined,
    onDelta: (delta: ModelDelta) => void shown.push(delta),
  };
  const response = await callWithOutputTool(asked, options, async (sent, { onDelta }) => {
    requests.push(sent);
    deltas.forEach(onDelta);
    return { content, finishReason: 'tool_calls' } as ModelResponse;
  });
  return { sent: requests[0], response, shown };
}

describe('the output tool', () => {
  it('is offered last, with the schema as its input, and the instructions name it', async () => {
    const { sent } = await answered([text], { asked: { ...request, instructions: 'Be brief.' } });

    expect(sent).toEqual({
      ...base,
      instructions:
        'Be brief.\n\nWhen the work is done, give the final answer by calling output, alone, and not as text.',
      tools: [
        lookUp,
        {
          name: 'output',
          description: 'Gives the final answer and ends the conversation.',
          inputSchema: output.schema,
        },
      ],
    });
  });

  it('gives way to a tool of its name', async () => {
    const { sent } = await answered([text], {
      asked: { ...request, tools: [{ ...lookUp, name: 'output' }] },
    });

    expect(sent?.tools.map(({ name }) => name)).toEqual(['output', 'final_output']);
  });

  it('is allowed beside the tools that are chosen', async () => {
    const { sent } = await answered([text], {
      asked: { ...request, toolChoice: { only: ['look_up'] } },
    });

    expect(sent?.toolChoice).toEqual({ only: ['look_up', 'output'] });
  });

  it.each<{ title: string; content: readonly AssistantPart[]; kept: readonly AssistantPart[] }>([
    {
      title: 'is the answer, and nothing beside it but what led to it',
      content: [
        reasoning,
        text,
        call('look_up', { city: 'Rome' }),
        call('output', { city: 'Oslo' }),
      ],
      kept: [reasoning, { type: 'text', text: '{"city":"Oslo"}' }],
    },
    {
      title: 'keeps malformed arguments as the text they are',
      content: [call('output', null)],
      kept: [{ type: 'text', text: '{"city":' }],
    },
  ])('$title', async ({ content, kept }) => {
    const { response } = await answered(content);

    expect(response).toEqual({ content: kept, finishReason: 'stop' });
  });

  it('leaves other turns as they are', async () => {
    const { response } = await answered([call('look_up', { city: 'Oslo' })]);

    expect(response).toMatchObject({ content: [{ name: 'look_up' }], finishReason: 'tool_calls' });
  });

  it('streams its arguments as text', async () => {
    const other: ModelDelta = { kind: 'tool-call', index: 0, name: 'look_up', args: '{}' };
    const { shown } = await answered([text], {
      deltas: [
        other,
        { kind: 'tool-call', index: 1, callId: 'call_2', name: 'output' },
        { kind: 'tool-call', index: 1, args: '{"city":' },
        { kind: 'tool-call', index: 1, args: '"Oslo"}' },
      ],
    });

    expect(shown).toEqual([
      other,
      { kind: 'text', text: '{"city":' },
      { kind: 'text', text: '"Oslo"}' },
    ]);
  });

  it.each<{ title: string; asked: ModelRequest; offered: boolean }>([
    { title: 'with tools and a schema', asked: request, offered: true },
    { title: 'without a schema', asked: base, offered: false },
    { title: 'without tools', asked: { ...request, tools: [] }, offered: false },
    {
      title: 'where no call is allowed',
      asked: { ...request, toolChoice: 'none' },
      offered: false,
    },
    { title: 'where no tool is', asked: { ...request, toolChoice: { only: [] } }, offered: false },
  ])('can be offered $title: $offered', ({ asked, offered }) => {
    expect(canOfferOutputTool(asked)).toBe(offered);
  });
});
