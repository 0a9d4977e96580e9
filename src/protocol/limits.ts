/**
 * Sizes are in bytes of UTF-8 JSON, and times are in milliseconds. Temporal refuses a payload of 2 MiB, and an oversized command wedges a
 * run. So `payload` bounds everything that becomes one payload. It leaves room for a codec that adds a third and a header. The commands of
 * one task travel in one message of at most 4 MiB.
 */
const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  /** Anything that becomes one payload, before a codec sees it. */
  payload: 1_400_000,
  input: 256 * KiB,
  session: 64 * KiB,
  context: 16 * KiB,
  answer: 64 * KiB,
  /** A question, and the same again for all its options together. */
  question: 64 * KiB,
  /** The arguments in the question of an approval, or the preview in their place. */
  shownArguments: 200,
  /** A question in the memo: the name of a tool and its arguments fit. */
  shownQuestion: 300,
  toolArguments: 256 * KiB,
  toolArgumentsInline: 8 * KiB,
  modelTurn: 1 * MiB,
  /** The details that a tool may send with a heartbeat. */
  heartbeat: 64 * KiB,
  logPage: 400_000,
  toolResultStored: 256 * KiB,
  toolResultShown: 64 * KiB,
  /** The parts of one result, and the URL of a medium in it. */
  toolParts: 100,
  mediaUrl: 8 * KiB,
  /** The text that stands for a stored text, with its note. */
  storedHead: 4 * KiB,
  /** Media over `storedMedia` and texts of inputs over `storedText` go to the result store, if there is one. */
  storedMedia: 16 * KiB,
  storedText: 64 * KiB,
  /** With a store, the most bytes of one part of an input, and of all parts. */
  inputPart: 4 * MiB,
  wholeInput: 16 * MiB,
  /** What `read_result` and `find_in_result` answer at most. A longer line is folded. */
  resultPage: 16 * KiB,
  resultLine: 2_000,
  /** A pattern of a search, with its repetitions written out. So many steps compile within milliseconds. */
  searchPatternSteps: 2_000,
  /** One content in a result store. `contentCacheBytes`: the memory of a process for contents that it read or kept. */
  storedContent: 64 * MiB,
  contentCacheBytes: 64 * MiB,
  /** Stored content in the requests of a worker to its models at a time. A request waits for its part of it. */
  contentInRequests: 256 * MiB,
  /** The bytes that a codec gets at once, of a content that it encodes. */
  contentChunk: 1 * MiB,
  definition: 512 * KiB,
  result: 1 * MiB,
  /**
   * All replies of one workflow task to waiting callers. Beyond this limit, a reply has no result, and the caller must read the result
   * itself.
   */
  replies: 1 * MiB,
  /** The result of a run for its caller. One history may contain many such results. */
  childResult: 256 * KiB,
  /** The result of an orchestration has at most this many warnings of the runs below it. `warning` is the size of each. */
  warnings: 100,
  warning: 512,
  failureMessage: 2 * KiB,
  memo: 2 * KiB,
  rideAlongEntry: 2 * KiB,
  contextInline: 1 * KiB,
  /** The characters of a definition's hash that travel. */
  hashLength: 32,
  /** What ids of child runs keep of a long id above them, at least. */
  idPrefix: 100,
  summary: 120,
  details: 2000,
  /** The deflated log that continue-as-new may carry inline. */
  carriedLog: 1_400_000,
  /** A page of the log before it is deflated, if it deflates well. */
  deflatedText: 3_000_000,
  /** A log that one workflow task deflates. The task has 5 s, and a busy worker needs half a second for a log of this size. */
  carriedText: 4 * MiB,
  /** Anything that travels deflated, after inflating. The reader reads no more, so the sender sends no more. */
  inflated: 32 * MiB,
  /**
   * At this history, a run continues as new, even if the server does not suggest it. The events make a replay slow: for this many, a
   * worker with nothing in memory needs about half a second of a core.
   */
  historyBytes: 3_500_000,
  historyEvents: 1_500,
  historyUpdates: 1_000,
  /** To continue as new because of bytes, the history must also have grown by this share of the bytes that the execution loaded. */
  historyGrowth: 0.5,
  /** At this history, an orchestration with open children starts no more children. It waits for a gap in which it can continue as new. */
  fullHistoryBytes: 15_000_000,
  fullHistoryEvents: 5_000,
  /**
   * At this history, a run ends by itself and ends its open work. The server would terminate it at 50 MiB or 51,200 events, and a codec
   * may add a third to the bytes that follow.
   */
  maxHistoryBytes: 36_000_000,
  maxHistoryEvents: 45_000,
  /** The most updates of an execution, with the updates that each open child may bring. The server takes 2,000. */
  maxUpdates: 1_900,
  updatesPerChild: 4,
  answeredInputs: 1_000,
  /** The result of a tool that comes from elsewhere, in bytes. */
  deferredResult: 64 * KiB,
  /** Tokens of one deferred call: one for each attempt, the last ones. */
  resultTokens: 100,
  /** A token, in characters. Most of it is the id of the run. */
  resultToken: 2_048,
  /** Roles of one actor. */
  actorRoles: 50,
  /** Roles of a rule for approvals, and ids. */
  approverNames: 50,
  /** Approvals that one call may need. */
  approvals: 20,
  /** Reminders of one question. */
  reminders: 10,
  /** Tools that a client brings for one run, and what all of them together may have. */
  clientTools: 16,
  clientToolsBytes: 64 * KiB,
  clientToolsValues: 5_000,
  clientToolsLevels: 50,
  clientToolsPatternSteps: 10_000,
  /** Messages to a run that the model has not got yet, and their bytes. */
  unreadMessages: 100,
  unreadBytes: 256 * KiB,
  /** The ids of messages that a run knows, and the calls of one turn that messages may cut. */
  knownMessages: 1_000,
  cutCalls: 3,
  /** A remark beside a verdict, in bytes. `signature`: also a token, and the digest that a verdict names. */
  note: 2 * KiB,
  signature: 8 * KiB,
  /** What a tool's `show` makes, in bytes. */
  preview: 8 * KiB,
  /** A JSON Schema of an answer, in bytes. */
  answerSchema: 16 * KiB,
  /** A JSON Schema of arguments or of an output, in bytes. */
  toolSchema: 128 * KiB,
  /** The steps of a check against a schema. An answer is checked in a workflow. A million steps take about 25 ms of a core. */
  answerSteps: 250_000,
  argumentSteps: 2_000_000,
  /** An open input for a hook of a worker, in bytes. */
  hookInput: 32 * KiB,
  /** Signatures that a run lets its workers check at a time, and the bytes of such answers within one workflow task. */
  signatureChecks: 16,
  checkedBytes: 384 * KiB,
  /** Notices of a run that its workers try to deliver at a time, and those that wait. */
  openNotices: 8,
  waitingNotices: 200,
  /** The most open inputs that a run sends to the run above it. */
  sentInputs: 10_000,
  /** The open inputs in one message. An approval with the longest arguments fits. */
  sentInputsBytes: 384 * KiB,
  /** The position of a stream, in characters. */
  streamPosition: 4 * KiB,
  logCacheBytes: 64 * MiB,
  logCachePoolEntries: 1_000,
  /** What a process keeps of one model call in progress, for those who begin to watch, and of all of them. */
  callInProgress: 1 * MiB,
  callsInProgress: 32 * MiB,
  toolAttempts: 5,
  /** The attempts to load a definition that no worker survives. */
  lostLoads: 5,
  /** The workers that are asked for a definition before the search takes its whole time. */
  refusals: 100,
  toolConcurrency: 16,
  maxToolConcurrency: 32,
  /** The tool calls that start within one workflow task, with all that runs beside them. Other calls start in the next tasks. */
  toolCallBytes: 768 * KiB,
  maxIterations: 10,
  invalidToolCalls: 3,
  /** How deeply runs may nest. */
  depth: 20,
  /** A prompt is compacted at this share of the model's context. The newest `keptTurns` turns stay as they are. */
  compactAt: 0.8,
  keptTurns: 6,
  /** Results of the newest `keptResults` turns are never cleared, nor are those of at most `clearedResult` bytes. */
  keptResults: 4,
  clearedResult: 1 * KiB,
  /** The longest summary of older turns. */
  runSummary: 32 * KiB,
  /** The tool calls that a saved turn lists: all of them, and the arguments of one call. */
  toolTrace: 16 * KiB,
  toolTraceArguments: 1 * KiB,
  /** Limits of a thread: its waiting messages, its unsaved turns, the turns that it lists, and the answers that it knows. */
  queuedBytes: 384 * KiB,
  queuedMessages: 100,
  unsavedBytes: 2 * MiB,
  unsavedTurns: 200,
  listedTurns: 1_000,
  listedTurnsBytes: 256 * KiB,
  threadAnswersBytes: 32 * KiB,
  /** The most turns that a thread lists in one answer. */
  turnsPage: 200,
  /** The most branches of a parallel that run at the same time. */
  concurrency: 50,
  /** The children that start within one workflow task. The server would refuse the message of more children. */
  childStarts: 32,
  childStartBytes: 768 * KiB,
  /** The session and the input that travel with a child's start. The child fetches longer ones. */
  sessionInline: 4 * KiB,
  inputInline: 8 * KiB,
  /** The beginning that travels in place of an input that the child fetches. */
  inputShown: 400,
} as const;

export const timeouts = {
  stickyScheduleToStart: 2_000,
  modelStartToClose: 15 * 60_000,
  modelScheduleToClose: 60 * 60_000,
  modelHeartbeat: 5_000,
  compaction: 3 * 60_000,
  /** How long a call to clear a thread waits for its store. `cleared`: how long the thread knows the messages from before. */
  clearing: 60_000,
  /** How long the next turn of a cleared thread waits for the result store, and how far apart clocks may be. */
  erasing: 10_000,
  clockSkew: 5_000,
  cleared: 5 * 60_000,
  modelIdle: 90_000,
  /** How long the inline calls of a turn may take, by default and at most. */
  inline: 10_000,
  longestInline: 60_000,
  toolStartToClose: 2 * 60_000,
  toolScheduleToClose: 10 * 60_000,
  toolHeartbeat: 7_000,
  store: 24 * 60 * 60_000,
  /** One call of `onPause`, and all calls for one notice. */
  notice: 30_000,
  allNotices: 24 * 60 * 60_000,
  /** How long an answer waits for the check of its signature. */
  signature: 30_000,
  /** One call of a result store. */
  storedContent: 30_000,
  /** One call of a database that carries deltas. */
  deltas: 5_000,
  logQuery: 15_000,
  /** How long an activity asks its run again if no worker answers. */
  askAgain: 45_000,
  definitionSearch: 60_000,
  /** A little longer than one poll of a worker. */
  longPoll: 70_000,
  /** How long a worker that has just started may take to poll. */
  firstPoll: 3_000,
  searchPause: 5_000,
  mcpListing: 2 * 60_000,
  shutdownGrace: 60_000,
  resetHalt: 2 * 60_000,
  serverCheck: 5_000,
  eventsPause: 1_000,
  /** How long a client that waits for a run keeps asking a server that does not answer at all. */
  silence: 5 * 60_000,
} as const;
