/** Clients: start runs, answer them, read them. */
import './server';

export type { AuditEntry } from './client/read/audit';
export { collectGarbage } from './client/server/collect-garbage';
export { connect, type ConnectOptions } from './client/server/connect';
export type { InboxItem } from './client/read/inbox';
export { Longhaul, type StartOptions } from './client/handles/longhaul';
export type { RunStreams } from './client/stream/run-streams';
export type { StreamEvent } from './core/stream/events';
export type { ResetPlan } from './client/timeline/reset-plan';
export type { RunEvent } from './client/read/run-view';
export type { RunSummary, ThreadSummary } from './client/read/lists';
export { RunHandle } from './client/handles/run-handle';
export type { RunTree } from './client/read/run-tree';
export type { RunTrace, TraceStep } from './client/timeline/trace/run-trace';
export type { WaitsFor } from './client/why/diagnosis';
export type { Why } from './client/why/explain';
export type { RunReport } from './client/why/report';
export { ThreadHandle, type SendOptions } from './client/handles/thread-handle';
export type { ThreadOptions } from './client/write/thread-input';
export { TurnHandle } from './client/handles/turn-handle';
export type {
  AgentRunOutcome,
  AgentRunResult,
  AnsweredBy,
  PendingInput,
  RunState,
  RunStatus,
} from './protocol';
export type { Actor, AnswerRight, ApproverRule, Vote } from './protocol';
export type { ThreadKey, TurnStatus, TurnView, WhenBusy } from './protocol';
