/**
 * Sizes in bytes of UTF-8 JSON, times in milliseconds. Temporal refuses 2 MiB a payload, and an oversized command wedges a run: whatever
 * becomes one payload is bounded by `payload`, which leaves room for a codec that adds a third and a header. Commands of one task travel in
 * one message of at most 4 MiB.
 */
const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  /** Of anything that becomes one payload, before a codec sees it. */
  payload: 1_400_000,
  input: 256 * KiB,
  session: 64 * KiB,
  context: 16 * KiB,
  answer: 64 * KiB,
  /** Of a question, and of its options together. */
  question: 64 * KiB,
  toolArguments: 256 * KiB,
  toolArgumentsInline: 8 * KiB,
  modelTurn: 1 * MiB,
  /** What a tool may tell with a heartbeat. */
  heartbeat: 64 * KiB,
  logPage: 400_000,
  toolResultStored: 256 * KiB,
  toolResultShown: 64 * KiB,
  definition: 512 * KiB,
  result: 1 * MiB,
  /** Of all replies of one workflow task to those who wait: beyond, they are told to read it themselves. */
  replies: 1 * MiB,
  /** Of what a run returns to the one that called it: many of them are one history. */
  childResult: 256 * KiB,
  /** Of the runs below an orchestration, in its result: so many, each of so many bytes. */
  warnings: 100,
  warning: 512,
  failureMessage: 2 * KiB,
  memo: 2 * KiB,
  rideAlongEntry: 2 * KiB,
  contextInline: 1 * KiB,
  /** Characters of a definition's hash that travel. */
  hashLength: 32,
  summary: 120,
  details: 2000,
  /** Of the deflated log that continue-as-new may carry inline. */
  carriedLog: 1_400_000,
  /** Of a page of the log that is deflated before it travels, where it deflates well. */
  deflatedText: 3_000_000,
  /** Of a log that is deflated within one workflow task, which has 5 s: a busy worker takes half a second for so much. */
  carriedText: 4 * MiB,
  /** Of anything that travels deflated, inflated: no more is read, so no more is sent. */
  inflated: 32 * MiB,
  /**
   * History at which a run continues as new by itself, server suggestion or not. Events are what replaying costs: so many take a
   * worker with nothing in memory about half a second of a core.
   */
  historyBytes: 3_500_000,
  historyEvents: 1_500,
  historyUpdates: 1_000,
  /** Share of what an execution loaded by which its history must have grown, besides. */
  historyGrowth: 0.5,
  /** History at which an orchestration with open children starts no more: it waits for a gap to continue as new in. */
  fullHistoryBytes: 15_000_000,
  fullHistoryEvents: 5_000,
  /**
   * History at which a run ends by itself, with what is under way: the server terminates it at 50 MiB or 51,200 events, and a codec may
   * add a third to what is to come.
   */
  maxHistoryBytes: 36_000_000,
  maxHistoryEvents: 45_000,
  /** Updates that an execution may come to, with those that each open child may bring: the server takes 2,000. */
  maxUpdates: 1_900,
  updatesPerChild: 4,
  answeredInputs: 1_000,
  /** Open inputs that a run tells the one above it. */
  sentInputs: 10_000,
  /** Of those in one message: an approval of the longest arguments fits. */
  sentInputsBytes: 384 * KiB,
  logCacheBytes: 64 * MiB,
  logCachePoolEntries: 1_000,
  toolAttempts: 5,
  toolConcurrency: 16,
  maxToolConcurrency: 32,
  /** Of the calls that start within one workflow task, with what runs beside them; the others follow in the next ones. */
  toolCallBytes: 768 * KiB,
  maxIterations: 10,
  invalidToolCalls: 3,
  /** How deep runs may nest. */
  depth: 20,
  /** Share of a model's context at which a thread is compacted, and the turns that stay as they are. */
  compactAt: 0.8,
  keptTurns: 4,
  /** What a turn that is saved tells of its tool calls: in all, and of the arguments of one. */
  toolTrace: 16 * KiB,
  toolTraceArguments: 1 * KiB,
  /** Of a thread: messages that wait, all together and how many; what it has yet to save; the turns it tells of; answers it knows. */
  queuedBytes: 384 * KiB,
  queuedMessages: 100,
  unsavedBytes: 2 * MiB,
  unsavedTurns: 200,
  listedTurns: 1_000,
  listedTurnsBytes: 256 * KiB,
  threadAnswersBytes: 32 * KiB,
  /** Turns that a thread tells of in one answer. */
  turnsPage: 200,
  /** Branches of a parallel that run at a time. */
  concurrency: 50,
  /** Of the children that start within one workflow task: more would make a message the server refuses. */
  childStarts: 32,
  childStartBytes: 768 * KiB,
  /** Session and input that travel with a child's start; a longer one is fetched. */
  sessionInline: 4 * KiB,
  inputInline: 8 * KiB,
  /** Of an input that is fetched, what stands in its place. */
  inputShown: 400,
} as const;

export const timeouts = {
  stickyScheduleToStart: 2_000,
  modelStartToClose: 15 * 60_000,
  modelScheduleToClose: 60 * 60_000,
  modelHeartbeat: 10_000,
  compaction: 3 * 60_000,
  /** How long who clears a thread waits for its store, and how long the thread knows the messages from before. */
  clearing: 60_000,
  cleared: 5 * 60_000,
  modelIdle: 90_000,
  toolStartToClose: 2 * 60_000,
  toolScheduleToClose: 10 * 60_000,
  toolHeartbeat: 15_000,
  store: 24 * 60 * 60_000,
  logQuery: 15_000,
  /** How long an activity asks its run again, while no worker answers. */
  askAgain: 45_000,
  definitionSearch: 60_000,
  searchPause: 5_000,
  mcpListing: 2 * 60_000,
  shutdownGrace: 60_000,
  resetHalt: 2 * 60_000,
  serverCheck: 5_000,
  eventsPause: 1_000,
  /** For which one who waits for a run asks a server that does not answer at all. */
  silence: 5 * 60_000,
} as const;
