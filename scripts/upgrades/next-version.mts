// A next version of Longhaul that nobody has written yet: this one with a new field in every form that is stored or sent, and with other
// commands after an answer. `nextFormatVersion` also raises the formats of what a run carries, and tells children more.

export type Edit = {
  readonly file: string;
  /** In the file once. */
  readonly from: string;
  readonly to: string;
};

/** A spread, so that the types of this version take it. */
const field = "...{ ofNextVersion: 'new' }";

const after = (file: string, from: string): Edit => ({ file, from, to: `${from} ${field},` });
const before = (file: string, from: string): Edit => ({ file, from, to: `${field}, ${from}` });
const within = (file: string, from: string, to: string): Edit => ({
  file,
  from,
  to: to.replace('FIELD', field),
});

/** What a run and a conversation carry through continue-as-new. */
const carried: readonly Edit[] = [
  within(
    'src/workflows/run/carried-run.ts',
    'deflateJson({ format, ...run,',
    'deflateJson({ format, FIELD, ...run,',
  ),
  within(
    'src/workflows/thread/carried-thread.ts',
    'const rest = { format, ...thread,',
    'const rest = { format, FIELD, ...thread,',
  ),
  after('src/core/machine/machine.ts', 'format: stateFormat,'),
  within(
    'src/core/orchestration/stored-plan.ts',
    'plainJson({ format, kind,',
    'plainJson({ format, FIELD, kind,',
  ),
  within(
    'src/workflows/lifecycle/requests.ts',
    'return {\n    pauseSeq,',
    'return { FIELD,\n    pauseSeq,',
  ),
  within(
    'src/core/budget/budget.ts',
    'return { limits: this.#own, ...(isGiven',
    'return { limits: this.#own, FIELD, ...(isGiven',
  ),
];

/** Inputs and results of activities, the log's entries among them, and heartbeats. */
const activities: readonly Edit[] = [
  within(
    'src/workflows/run/loaded-run.ts',
    'return { ...this.position.address(this.definition),',
    'return { FIELD, ...this.position.address(this.definition),',
  ),
  before('src/workflows/run.ts', '...runnerAddress(given),'),
  within(
    'src/workflows/thread/thread-loop.ts',
    'openThread({ ...runnerAddress(input),',
    'openThread({ FIELD, ...runnerAddress(input),',
  ),
  within(
    'src/activities/model/call-model.ts',
    'return { ...result, ...(await inline',
    'return { FIELD, ...result, ...(await inline',
  ),
  after('src/activities/model/call-model.ts', "kind: 'model-turn' as const,"),
  within(
    'src/activities/model/call-model.ts',
    'this.#keep({ response: ',
    'this.#keep({ FIELD, response: ',
  ),
  within(
    'src/activities/tool/run-call.ts',
    "kind: 'tool-result' as const, result };",
    "kind: 'tool-result' as const, FIELD, result };",
  ),
  within(
    'src/activities/tool/run-call.ts',
    'return { entry, ...(session && { session }) };',
    'return { FIELD, entry, ...(session && { session }) };',
  ),
  after('src/activities/definition/load-definition.ts', "kind: 'found',"),
  after('src/activities/definition/load-definition.ts', "kind: 'pinned',"),
  before('src/activities/thread/thread-memory.ts', 'turns: newestThatFit(stored),'),
];

/** Between runs: what they wait for, answers and results. */
const signals: readonly Edit[] = [
  within(
    'src/workflows/children/messages.ts',
    'const message: ChildInputs = { child,',
    'const message: ChildInputs = { FIELD, child,',
  ),
  after('src/workflows/people/own-inputs.ts', 'path: position.path,'),
  within(
    'src/workflows/children/messages.ts',
    'signal(signalNames.answer, answer)',
    'signal(signalNames.answer, { FIELD, ...answer })',
  ),
  within(
    'src/workflows/children/messages.ts',
    'const outcome: ChildOutcome = { child: workflowId,',
    'const outcome: ChildOutcome = { FIELD, child: workflowId,',
  ),
];

/** What stores and the server's lists have. */
const stored: readonly Edit[] = [
  within(
    'src/workflows/thread/thread-run.ts',
    'return { id, workflowId, user: input,',
    'return { FIELD, id, workflowId, user: input,',
  ),
  within(
    'src/workflows/thread/thread-run.ts',
    'const eventData: JsonObject = {',
    'const eventData: JsonObject = { FIELD,',
  ),
  before('src/workflows/display/memo.ts', 'agent: state.runner,'),
];

/** An agent does one thing more after each answer. */
const commands: readonly Edit[] = [
  {
    file: 'src/workflows/agent/agent-loop.ts',
    from: "import { CancellationScope, condition } from '@temporalio/workflow';",
    to: "import { CancellationScope, condition, patched, sleep } from '@temporalio/workflow';",
  },
  {
    file: 'src/workflows/agent/agent-loop.ts',
    from: 'if (answered()) return;',
    to: "if (answered()) return patched('longhaul:next-version') ? sleep(1) : undefined;",
  },
];

export const nextVersion: readonly Edit[] = [
  ...carried,
  ...activities,
  ...signals,
  ...stored,
  ...commands,
];

const raised = (file: string, from: string): Edit => ({
  file,
  from,
  to: from.replace('1', '2'),
});

/** A child's start has a member that a run does not overlook. */
const starts: readonly Edit[] = [
  after('src/workflows/children/children.ts', 'origin: originBelow(origin, work),'),
  within(
    'src/core/run-input.ts',
    `...Object.keys(publicMembers),
    ...Object.keys(parentMembers),`,
    `...Object.keys(publicMembers),
    ...Object.keys(parentMembers), 'ofNextVersion',`,
  ),
];

export const nextFormatVersion: readonly Edit[] = [
  ...starts,
  raised('src/workflows/run/carried-run.ts', 'const format = 1;'),
  raised('src/workflows/thread/carried-thread.ts', 'const format = 1 as const;'),
  raised('src/core/machine/state-json.ts', 'export const stateFormat = 1;'),
  raised('src/core/machine/run-state.ts', 'readonly format: 1;'),
  raised('src/core/orchestration/stored-plan.ts', 'const format = 1;'),
];
