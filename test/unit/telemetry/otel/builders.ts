import type { ModelResponse } from '../../../../src/providers/provider';
import type { CallStart, Telemetry } from '../../../../src/telemetry';

type Segment = Parameters<Telemetry['segment']>[0];

/** Stands for what people and models write. */
export const secret = 'the planted secret';

const above = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

export function aSegment(changes: Partial<Segment> = {}): Segment {
  return {
    span: 'b'.repeat(16),
    above,
    number: 1,
    startedAt: 2_000,
    endedAt: 3_000,
    status: 'completed',
    kind: 'agent',
    runner: 'asker',
    path: 'asker',
    root: 'root-1',
    workflowId: 'root-1',
    runId: 'run-1',
    taskQueue: 'queue',
    ...changes,
  };
}

export function aCall(changes: Partial<CallStart> = {}): CallStart {
  return {
    span: 'c'.repeat(16),
    above,
    run: {
      workflowId: 'root-1',
      runId: 'run-1',
      root: 'root-1',
      path: 'asker',
      agentId: 'asker',
      definition: 'hash-1',
    },
    taskQueue: 'queue',
    turn: 1,
    attempt: 2,
    startedAt: Date.now(),
    workerWaitMs: 7,
    call: {
      kind: 'model',
      purpose: 'turn',
      provider: 'google',
      model: 'm-1',
      request: {
        model: 'm-1',
        instructions: `Instructions: ${secret}`,
        messages: [
          { role: 'user', parts: [{ type: 'text', text: `Question: ${secret}` }] },
          {
            role: 'assistant',
            parts: [
              { type: 'tool_call', callId: 'call-0', name: 'look_up', args: { query: secret } },
            ],
          },
          {
            role: 'tool',
            parts: [
              {
                type: 'tool_result',
                callId: 'call-0',
                name: 'look_up',
                isError: false,
                content: [{ type: 'json', value: { found: secret } }],
              },
            ],
          },
        ],
        tools: [{ name: 'look_up', description: `Finds ${secret}`, inputSchema: {} }],
        toolChoice: 'auto',
        settings: { temperature: 0.5 },
        cacheKey: 'key',
      },
    },
    ...changes,
  };
}

export function aTool(): CallStart {
  const call = {
    kind: 'tool',
    name: 'look_up',
    type: 'function',
    callId: 'call-1',
    args: { query: secret },
  } as const;
  return aCall({ call });
}

export const aResponse: ModelResponse = {
  content: [
    { type: 'text', text: `Answer: ${secret}` },
    { type: 'tool_call', callId: 'call-1', name: 'look_up', args: { query: secret } },
  ],
  usage: {
    inputTokens: 100,
    outputTokens: 20,
    totalTokens: 120,
    cacheReadTokens: 60,
    cacheWriteTokens: null,
    reasoningTokens: null,
  },
  finishReason: 'tool_calls',
  origin: { provider: 'google', api: 'google-generate-content', model: 'm-1-001' },
  ids: { response: 'response-1' },
};
