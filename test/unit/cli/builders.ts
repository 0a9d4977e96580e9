import type { RunEvent, RunState, RunTree } from '../../../src/client';
import type { LogEvent } from '../../../src/protocol/log';
import type { Usage } from '../../../src/protocol/message';
import type { PendingInput } from '../../../src/protocol/run';

export const usageOf = (total: number | null): Usage => ({
  inputTokens: null,
  outputTokens: null,
  totalTokens: total,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
});

export const anEvent = (index: number, event: LogEvent): RunEvent => ({
  index,
  entry: { id: `id/${index}`, ...event },
});

export const aQuestion = (fields: Partial<PendingInput> = {}): PendingInput => ({
  inputId: 'q1',
  kind: 'question',
  question: 'Which city?',
  agentId: 'planner',
  path: 'planner',
  since: '2026-01-01T00:00:00.000Z',
  ...fields,
});

export const anApproval = (fields: Partial<PendingInput> = {}): PendingInput => ({
  ...aQuestion(),
  inputId: 'a1.0',
  kind: 'approval',
  question: 'May send_mail run? {"to":"bob"}',
  call: { type: 'tool_call', callId: 'c1', name: 'send_mail', args: { to: 'bob' } },
  ...fields,
});

export const aState = (fields: Partial<RunState> = {}): RunState => ({
  status: 'completed',
  pauseSeq: 0,
  runner: 'planner',
  path: 'planner',
  runId: 'e1',
  turn: 2,
  iterations: 1,
  usage: usageOf(30),
  pending: [],
  logLength: 4,
  rejected: [],
  ...fields,
});

export const aTree = (fields: Partial<RunTree> = {}): RunTree => ({
  workflowId: 'r1',
  runner: 'planner',
  kind: 'agent',
  path: 'planner',
  status: 'completed',
  turn: 2,
  iterations: 1,
  usage: usageOf(30),
  pending: [],
  children: [],
  ...fields,
});
