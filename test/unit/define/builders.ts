import { defineAgent, defineTool, type Agent, type AgentOptions, type Tool } from '../../../src';
import { LonghaulError } from '../../../src/protocol/errors';
import type { ToolContext } from '../../../src/define/tool';

export const citySchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

export function aTool(name = 'get_weather', options: { override?: boolean } = {}): Tool {
  const description = `Runs ${name}`;
  return defineTool({
    name,
    description,
    inputSchema: citySchema,
    execute: () => null,
    ...options,
  });
}

export function anAgent(options: Partial<AgentOptions> = {}): Agent {
  return defineAgent({ id: 'weather', model: 'openai/gpt-5-mini', ...options });
}

/** The error a definition is refused with, as `code: message`. */
export function refusalOf(define: () => unknown): string {
  try {
    define();
  } catch (error) {
    if (!LonghaulError.is(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
  return 'nothing was refused';
}

export const toolContext: ToolContext = {
  workflowId: 'run-1',
  agentId: 'weather',
  path: 'weather',
  callId: 'call-1',
  idempotencyKey: 'key',
  session: {},
  context: {},
  signal: new AbortController().signal,
  heartbeat: () => undefined,
  log: {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  },
};
