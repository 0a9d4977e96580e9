/** Clients: start runs, answer them, read them. */
import './server/client-packages';

export type { AuditEntry } from './client/audit';
export { collectGarbage, type GarbageOptions, type GarbageReport } from './client/collect-garbage';
export { connect, type ConnectOptions } from './client/connect';
export type { InboxFilter, InboxItem } from './client/inbox';
export type { ClientToolOptions } from './client/client-tools';
export { Longhaul, type StartOptions } from './client/longhaul';
export type { OrphanRun } from './client/orphans';
export type { MigrateOptions } from './client/migrate';
export type { ResetOptions } from './client/reset';
export type { SteerOptions } from './client/steer';
export type { RunStreams, StreamOptions } from './client/stream/run-streams';
export type { StreamEvent } from './stream/events';
export type { ResetPlan, UndoneCall, UndoneRun } from './client/reset-plan';
export type { RunEvent } from './client/run-view';
export type { RunsFilter, RunSummary, ThreadsFilter, ThreadSummary } from './client/lists';
export type { KnownRunner, RunnerWithSpec } from './protocol/spec';
export {
  type ApproveOptions,
  type ApproveReply,
  type ResumeOptions,
  RunHandle,
} from './client/run-handle';
export type { RunTree } from './client/run-tree';
export type { TraceOptions } from './client/trace/read-trace';
export type { RunTrace, TraceStep } from './client/trace/run-trace';
export type { WaitsFor } from './client/why/diagnosis';
export type { Why } from './client/why/explain';
export type { LastPoll } from './client/why/last-poll';
export type { Retrying } from './client/why/open-calls';
export type { RunReport } from './client/why/report';
export { ThreadHandle, type SendOptions } from './client/thread-handle';
export type { ThreadOptions } from './client/thread-input';
export { TurnHandle } from './client/turn-handle';
export type { WhoseFilter } from './client/executions';
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
