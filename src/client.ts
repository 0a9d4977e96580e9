/** Clients: start runs, answer them, read them. */
import './server';

export type { AuditEntry } from './client/read/audit';
export {
  collectGarbage,
  type GarbageOptions,
  type GarbageReport,
} from './client/server/collect-garbage';
export { connect, type ConnectOptions } from './client/server/connect';
export type { InboxFilter, InboxItem } from './client/read/inbox';
export type { ClientToolOptions } from './client/write/client-tools';
export { Longhaul, type StartOptions } from './client/handles/longhaul';
export type { OrphanRun } from './client/server/orphans';
export type { MigrateOptions } from './client/write/migrate';
export type { ResetOptions } from './client/write/reset';
export type { SteerOptions } from './client/write/steer';
export type { RunStreams, StreamOptions } from './client/stream/run-streams';
export type { StreamEvent } from './core/stream/events';
export type { ResetPlan, UndoneCall, UndoneRun } from './client/timeline/reset-plan';
export type { RunEvent } from './client/read/run-view';
export type { RunsFilter, RunSummary, ThreadsFilter, ThreadSummary } from './client/read/lists';
export type { KnownRunner, RunnerWithSpec } from './protocol/spec';
export {
  type ApproveOptions,
  type ApproveReply,
  type ResumeOptions,
  RunHandle,
} from './client/handles/run-handle';
export type { RunTree } from './client/read/run-tree';
export type { TraceOptions } from './client/timeline/trace/read-trace';
export type { RunTrace, TraceStep } from './client/timeline/trace/run-trace';
export type { WaitsFor } from './client/why/diagnosis';
export type { Why } from './client/why/explain';
export type { LastPoll } from './client/why/last-poll';
export type { Retrying } from './client/why/open-calls';
export type { RunReport } from './client/why/report';
export { ThreadHandle, type SendOptions } from './client/handles/thread-handle';
export type { ThreadOptions } from './client/write/thread-input';
export { TurnHandle } from './client/handles/turn-handle';
export type { WhoseFilter } from './client/server/executions';
export type {
  AgentRunOutcome,
  AgentRunResult,
  AnsweredBy,
  MigrateReply,
  PendingInput,
  RunState,
  RunStatus,
} from './protocol/run';
export type { Actor, AnswerRight, ApproverRule, Vote } from './protocol/people';
export type { ThreadKey, TurnStatus, TurnView, WhenBusy } from './protocol/thread';
