/*
 * Structured output by a tool, for models that take no output schema beside tools. The model calls the tool with its answer. The
 * caller gets a text, as with native structured output, and checks it in the same way.
 */
import type { AssistantPart, ToolCallPart } from '../protocol';
import type {
  CallOptions,
  ModelDelta,
  ModelRequest,
  ModelResponse,
  RequestToolChoice,
  ToolDeclaration,
} from './provider';

type Call = (request: ModelRequest, options: CallOptions) => Promise<ModelResponse>;
type RequestWithOutput = ModelRequest & { readonly output: NonNullable<ModelRequest['output']> };

/** Whether the answer can come by a tool. If no call is allowed, the instructions must ask for it. */
export function canOfferOutputTool(request: ModelRequest): request is RequestWithOutput {
  const { output, tools, toolChoice } = request;
  if (output === undefined || tools.length === 0 || toolChoice === 'none') return false;
  return typeof toolChoice !== 'object' || toolChoice.only.length > 0;
}

export async function callWithOutputTool(
  request: RequestWithOutput,
  options: CallOptions,
  call: Call,
): Promise<ModelResponse> {
  const name = freeName(request);
  const onDelta = asText(name, options.onDelta);
  const response = await call(offering(request, name), { ...options, onDelta });
  const answer = response.content.find(isCallOf(name));
  if (answer === undefined) return response;
  const reasoning = response.content.filter((part) => part.type === 'reasoning');
  const text = answer.rawArgs ?? JSON.stringify(answer.args);
  return { ...response, content: [...reasoning, { type: 'text', text }], finishReason: 'stop' };
}

/** A name that no tool of the agent has. */
function freeName({ output, tools }: RequestWithOutput): string {
  const taken = new Set(tools.map((tool) => tool.name));
  let name = output.name;
  while (taken.has(name)) name = `final_${name}`;
  return name;
}

function offering(request: RequestWithOutput, name: string): ModelRequest {
  const { output, instructions, ...rest } = request;
  const tool: ToolDeclaration = {
    name,
    description: 'Gives the final answer and ends the conversation.',
    inputSchema: output.schema,
  };
  const how = `When the work is done, give the final answer by calling ${name}, alone, and not as text.`;
  return {
    ...rest,
    instructions: instructions === undefined ? how : `${instructions}\n\n${how}`,
    tools: [...request.tools, tool],
    toolChoice: withName(request.toolChoice, name),
  };
}

function withName(choice: RequestToolChoice, name: string): RequestToolChoice {
  return typeof choice === 'object' ? { only: [...choice.only, name] } : choice;
}

function asText(name: string, onDelta: CallOptions['onDelta']): CallOptions['onDelta'] {
  const answers = new Set<number>();
  return (delta: ModelDelta) => {
    if (delta.kind === 'tool-call' && delta.name === name) answers.add(delta.index);
    if (delta.kind !== 'tool-call' || !answers.has(delta.index)) onDelta(delta);
    else if (delta.args !== undefined) onDelta({ kind: 'text', text: delta.args });
  };
}

function isCallOf(name: string): (part: AssistantPart) => part is ToolCallPart {
  return (part): part is ToolCallPart => part.type === 'tool_call' && part.name === name;
}
