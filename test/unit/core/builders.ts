import { AgentRun, type AgentRunOptions } from '../../../src/agent-run';
import type { AgentRunStep, ModelTurn } from '../../../src/agent-run';
import type { JsonObject } from '../../../src/base/json';
import type { LogEvent } from '../../../src/protocol/log';
import type {
  AssistantPart,
  Message,
  TextPart,
  ToolCallPart,
  ToolResult,
  Usage,
} from '../../../src/protocol/message';

export const noUsage: Usage = {
  inputTokens: null,
  outputTokens: null,
  totalTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

export const tokens = (input: number, output: number): Usage => ({
  ...noUsage,
  inputTokens: input,
  outputTokens: output,
  totalTokens: input + output,
});

export const text = (value: string): TextPart => ({ type: 'text', text: value });

export const call = (callId: string, name = 'add', args: JsonObject = { x: 1 }): ToolCallPart => ({
  type: 'tool_call',
  callId,
  name,
  args,
});

export const malformed = (callId: string, name = 'add', rawArgs = '{"x":'): ToolCallPart => ({
  type: 'tool_call',
  callId,
  name,
  args: null,
  rawArgs,
  argsError: 'unexpected end of JSON',
});

export const result = (
  callId: string,
  value = '2',
  rest: Partial<ToolResult> = {},
): ToolResult => ({
  type: 'tool_result',
  callId,
  name: 'add',
  isError: false,
  content: [text(value)],
  ...rest,
});

export const errorResult = (callId: string, value: string, name = 'add'): ToolResult =>
  result(callId, value, { name, isError: true });

export const user = (value: string): Message => ({ role: 'user', parts: [text(value)] });
export const assistant = (...parts: AssistantPart[]): Message => ({ role: 'assistant', parts });
export const tool = (...parts: ToolResult[]): Message => ({ role: 'tool', parts });

/** What the log holds of a user's message. */
export const userEvent = (value: string): LogEvent => ({
  kind: 'user',
  message: { role: 'user', parts: [text(value)] },
});

export const turn = (content: AssistantPart[], rest: Partial<ModelTurn> = {}): ModelTurn => ({
  content,
  usage: tokens(5, 7),
  tools: ['add'],
  ...rest,
});

/** A run that has asked the model and got this turn. */
export function answered(
  options: AgentRunOptions,
  content: AssistantPart[],
  rest: Partial<ModelTurn> = {},
): AgentRun {
  const run = new AgentRun('go', options);
  run.nextStep();
  run.modelResponse(turn(content, rest));
  return run;
}

/** Feeds a turn to a run that is about to ask the model. */
export function respond(
  run: AgentRun,
  content: AssistantPart[],
  rest: Partial<ModelTurn> = {},
): AgentRunStep {
  run.nextStep();
  run.modelResponse(turn(content, rest));
  return run.nextStep();
}

/** What a function throws. */
export function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

export const stored = (run: AgentRun): AgentRun =>
  AgentRun.fromJSON(JSON.parse(JSON.stringify(run)) as ReturnType<AgentRun['toJSON']>);
