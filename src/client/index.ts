// The door of this room for others: the public names, and what the command line, HTTP and telemetry share with clients.

export * from '../client';
export { memoOf, stateFromMemo } from './read/run-view';
export { describeIfThere } from './server/calls';
export { checkOptions } from './server/check-options';
export { isNotFound, readable } from './server/failures';
export { openConnection } from './server/connect';
export { findOrphans } from './server/orphans';
export { explainVersions } from './server/unserved';
export { lookForWorker } from './server/workers';
export { RunStreams } from './stream/run-streams';
export { type HistoryEvent, historyEvents } from './timeline/events';
export { readTaskFailure } from './timeline/history';
export { codedFailure, errorOf, type Failure } from './timeline/payloads';
export { lastStepsOf, type Step, stepOf } from './timeline/steps';
export { servedText } from './why/explain';
export { callsOf } from './why/open-calls';
export { ThreadView } from './write/thread-calls';
export type { InboxFilter } from './read/inbox';
export type { RunsFilter, ThreadsFilter } from './read/lists';
export type { ClientToolOptions } from './write/client-tools';
export type { MigrateOptions } from './write/migrate';
export type { SteerOptions } from './write/steer';
export type { WhoseFilter } from './server/executions';
export type { ResumeOptions } from './handles/run-handle';
export type { Retrying } from './why/open-calls';
