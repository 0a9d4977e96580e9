// The door of this room for others: the public names, and what the command line, HTTP and telemetry share with clients.

export * from '../client';
export { memoOf, stateFromMemo } from './read/run-view';
export { describeIfThere } from './server/calls';
export { checkOptions } from './server/check-options';
export { isNotFound, readable } from './server/failures';
export { findOrphans } from './server/orphans';
export { explainVersions } from './server/unserved';
export { lookForWorker } from './server/workers';
export { News } from './stream/news';
export { RunStreams } from './stream/run-streams';
export { type HistoryEvent, historyEvents } from './timeline/events';
export { readTaskFailure } from './timeline/history';
export { codedFailure, errorOf, type Failure } from './timeline/payloads';
export { lastStepsOf, type Step, stepOf } from './timeline/steps';
export { servedText } from './why/explain';
export { callsOf } from './why/open-calls';
export { ThreadView } from './write/thread-calls';
