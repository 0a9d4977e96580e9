// Pure: reads files. Says which recorded history of this version has what. A replay guards only what a history has.
import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { version } from '../../../package.json';
import { allWorkflowTypes, signalNames, updateNames } from '../../../src/protocol/names';

const fixtures = resolve(__dirname, '../../fixtures');

type Fields = {
  readonly signalName?: string;
  readonly workflowType?: { readonly name: string };
  readonly activityType?: { readonly name: string };
  readonly acceptedRequest?: { readonly input: { readonly name: string } };
};
type Event = { readonly eventType: string } & Readonly<Record<string, unknown>>;

const histories = globSync('*.json', { cwd: resolve(fixtures, 'histories', version) }).map(
  (file) => {
    const text = readFileSync(resolve(fixtures, 'histories', version, file), 'utf8');
    const { events } = JSON.parse(text) as { readonly events: readonly Event[] };
    return { name: basename(file, '.json'), events: events.map(eventOf) };
  },
);

type Seen = { readonly type: string; readonly name: string | undefined };

/** The type of an event, and the name of the signal, update, activity or workflow that it is about. */
function eventOf(event: Event): Seen {
  const type = event.eventType.replace('EVENT_TYPE_', '');
  const [, attributes] = Object.entries(event).find(([key]) => key.endsWith('Attributes')) ?? [];
  const fields = Object(attributes) as Fields;
  const { signalName, workflowType, activityType, acceptedRequest } = fields;
  const name =
    signalName ?? activityType?.name ?? workflowType?.name ?? acceptedRequest?.input.name;
  return { type, name };
}

const seen = (type: string): readonly string[] =>
  histories.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === type ? [event.name ?? ''] : [])),
  );

const contract = JSON.parse(
  readFileSync(resolve(fixtures, 'contract', `${version}.json`), 'utf8'),
) as { readonly wire: { readonly members: { readonly activities: { readonly members: object } } } };

/** What no history needs to have, and why. */
const exceptions: Readonly<Record<string, string>> = {};

const notRecorded = (names: readonly string[], recorded: readonly string[]): readonly string[] =>
  names.filter((name) => !recorded.includes(name) && exceptions[name] === undefined);

describe('the recorded histories of this version', () => {
  it.each<{ what: string; names: readonly string[]; event: string }>([
    { what: 'workflow type', names: allWorkflowTypes, event: 'WORKFLOW_EXECUTION_STARTED' },
    { what: 'signal', names: Object.values(signalNames), event: 'WORKFLOW_EXECUTION_SIGNALED' },
    {
      what: 'update',
      names: Object.values(updateNames),
      event: 'WORKFLOW_EXECUTION_UPDATE_ACCEPTED',
    },
    {
      what: 'activity',
      names: Object.keys(contract.wire.members.activities.members),
      event: 'ACTIVITY_TASK_SCHEDULED',
    },
    {
      what: 'signal of one run to another',
      names: ['childInputs', 'childResult', 'answer', 'detach', 'steer', 'giveBack'],
      event: 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED',
    },
  ])('have every $what', ({ names, event }) => {
    expect(notRecorded(names, seen(event))).toEqual([]);
  });

  it('have every kind of event that a command of ours makes', () => {
    const types = histories.flatMap(({ events }) => events.map(({ type }) => type));
    expect(notRecorded(ofCommands, types)).toEqual([]);
  });

  it('are of each path on which a workflow issues commands', () => {
    const lacking = paths.flatMap(({ path, history, has }) => {
      const all = histories.filter(({ name }) => name.startsWith(history));
      const isThere = all.some(({ events }) => events.some(({ type, name }) => has(type, name)));
      return isThere ? [] : [`${path}: ${history}`];
    });
    expect(lacking).toEqual([]);
  });

  it('need no exception that they have', () => {
    const all = histories.flatMap(({ events }) =>
      events.flatMap(({ type, name = '' }) => [type, name]),
    );
    expect(Object.keys(exceptions).filter((name) => all.includes(name))).toEqual([]);
  });
});

const ofCommands = [
  'ACTIVITY_TASK_SCHEDULED',
  'ACTIVITY_TASK_CANCEL_REQUESTED',
  'TIMER_STARTED',
  'TIMER_CANCELED',
  'TIMER_FIRED',
  'START_CHILD_WORKFLOW_EXECUTION_INITIATED',
  'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED',
  'REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED',
  'WORKFLOW_PROPERTIES_MODIFIED',
  'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES',
  'WORKFLOW_EXECUTION_UPDATE_ACCEPTED',
  'WORKFLOW_EXECUTION_UPDATE_COMPLETED',
  'WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
  'WORKFLOW_EXECUTION_COMPLETED',
  'WORKFLOW_EXECUTION_FAILED',
  'WORKFLOW_EXECUTION_CANCELED',
];

type Has = (type: string, name: string | undefined) => boolean;

const event =
  (wanted: string): Has =>
  (type) =>
    type === wanted;
const named =
  (wanted: string, of: string): Has =>
  (type, name) =>
    type === wanted && name === of;
const activity = (name: string): Has => named('ACTIVITY_TASK_SCHEDULED', name);
const update = (name: string): Has => named('WORKFLOW_EXECUTION_UPDATE_ACCEPTED', name);
const signal = (name: string): Has => named('WORKFLOW_EXECUTION_SIGNALED', name);
const sends = (name: string): Has => named('SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED', name);
const timer = event('TIMER_STARTED');
const moves = event('WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
const child = event('START_CHILD_WORKFLOW_EXECUTION_INITIATED');

/** Each path on which a workflow issues commands, and a history that has it. A new path needs a new line and a new case. */
const paths: readonly { readonly path: string; readonly history: string; readonly has: Has }[] = [
  // run/load.ts
  { path: 'a run loads its definition', history: 'text-answer', has: activity('loadDefinition') },
  { path: 'other workers are asked', history: 'rolling-deploy', has: activity('findDefinition') },
  { path: 'no worker knows it', history: 'unknown-agent', has: event('WORKFLOW_EXECUTION_FAILED') },
  { path: 'MCP servers list their tools', history: 'mcp-tools', has: activity('findDefinition') },
  { path: 'a spec comes with the start', history: 'inline-spec', has: activity('loadDefinition') },
  { path: 'the stores are read', history: 'stored-session', has: activity('openRun') },
  { path: 'the session is saved', history: 'stored-session', has: activity('closeRun') },
  { path: 'a child fetches its session', history: 'long-inputs', has: activity('fetchSession') },
  { path: 'a child fetches its input', history: 'long-inputs', has: activity('fetchInput') },
  { path: 'a start is refused', history: 'refused-start', has: event('WORKFLOW_EXECUTION_FAILED') },
  // agent/agent-loop.ts, agent/tool-calls.ts
  { path: 'the model is called', history: 'text-answer', has: activity('callModel') },
  { path: 'a tool is called', history: 'tool-turn', has: activity('callTool') },
  { path: 'calls ran inline', history: 'inline-turns', has: activity('callTool') },
  {
    path: 'arguments go by reference',
    history: 'session-and-long-arguments',
    has: activity('callTool'),
  },
  { path: 'a tool fails', history: 'tool-failed', has: activity('callTool') },
  { path: 'the worker lacks the tool', history: 'rolling-deploy', has: timer },
  { path: "the user's own activity", history: 'own-activity', has: activity('ChargeCard') },
  {
    path: 'changed arguments are checked',
    history: 'own-activity',
    has: activity('checkArguments'),
  },
  { path: 'hooks around a child', history: 'hooked-calls', has: activity('runToolHooks') },
  { path: 'an agent is a tool', history: 'called-agents', has: child },
  { path: 'stored results are read', history: 'results-by-reference', has: activity('callTool') },
  // agent/approvals.ts, agent/input-times.ts, agent/input-wait.ts
  { path: 'a call is reviewed', history: 'people', has: activity('reviewCall') },
  { path: 'a wait without a deadline', history: 'question-by-tool', has: timer },
  { path: 'a wait ends', history: 'question-by-tool', has: event('TIMER_CANCELED') },
  { path: 'nobody answers', history: 'input-timeout', has: event('TIMER_FIRED') },
  { path: 'nobody decides', history: 'approval-expired', has: event('TIMER_FIRED') },
  { path: 'a reminder', history: 'reminded', has: event('TIMER_FIRED') },
  { path: 'people are told', history: 'reminded', has: activity('notifyPause') },
  { path: 'a signature is checked', history: 'reminded', has: activity('checkSignature') },
  { path: 'a result from elsewhere', history: 'later-tools', has: update('complete') },
  { path: 'a failure from elsewhere', history: 'later-tools', has: update('fail') },
  { path: "a client's own tool", history: 'client-tools', has: update('complete') },
  { path: 'a budget is raised', history: 'budget-raised', has: update('resume') },
  {
    path: 'a budget is not raised',
    history: 'budget-stopped',
    has: event('WORKFLOW_EXECUTION_FAILED'),
  },
  { path: 'the budget of a tree', history: 'budget-of-tree', has: sends('answer') },
  // agent/steering.ts, agent/prompt-compaction.ts
  { path: 'a message', history: 'steered', has: update('send') },
  {
    path: 'a message cuts a call',
    history: 'steered',
    has: event('ACTIVITY_TASK_CANCEL_REQUESTED'),
  },
  { path: 'calls that act stand', history: 'calls-stand', has: event('MARKER_RECORDED') },
  { path: 'older turns are summarised', history: 'small-window', has: activity('summarise') },
  { path: 'a prompt was too long', history: 'refused-prompt', has: activity('summarise') },
  // children/, orchestration/
  { path: 'steps', history: 'sequential', has: child },
  { path: 'branches', history: 'parallel', has: child },
  { path: 'tasks', history: 'graph', has: child },
  { path: 'a task runs again', history: 'failing-tree', has: child },
  { path: 'a child reports its inputs', history: 'deep-pauses+', has: sends('childInputs') },
  { path: 'an answer goes down', history: 'deep-pauses', has: sends('answer') },
  { path: 'a question is abandoned', history: 'abandoned-question', has: sends('detach') },
  {
    path: 'the rest is cancelled',
    history: 'first-cancels',
    has: event('REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED'),
  },
  { path: 'a cancelled child has spent', history: 'first-cancels+', has: sends('childResult') },
  { path: 'a child reports its result early', history: 'early-result+', has: sends('childResult') },
  { path: 'a user starts runs', history: 'own-workflow', has: child },
  // execution/, run.ts
  { path: 'a run is cancelled', history: 'cancelled', has: activity('requestCancellation') },
  {
    path: 'a tree is cancelled',
    history: 'cancelled-tree',
    has: event('WORKFLOW_EXECUTION_CANCELED'),
  },
  { path: 'a run is halted', history: 'reset', has: signal('halt') },
  { path: 'a child was reset', history: 'reset-below+', has: signal('askAgain') },
  { path: 'a call is tried again', history: 'retried-call', has: signal('retrying') },
  {
    path: 'search attributes',
    history: 'question-by-tool',
    has: event('UPSERT_WORKFLOW_SEARCH_ATTRIBUTES'),
  },
  { path: 'no search attributes', history: 'bare', has: event('WORKFLOW_PROPERTIES_MODIFIED') },
  { path: 'telemetry', history: 'telemetry', has: update('resume') },
  { path: 'a run continues as new', history: 'continued-as-new', has: moves },
  { path: 'it carries all it can', history: 'carries-everything', has: moves },
  { path: 'it reads the log of before', history: 'carried-log', has: activity('pullLog') },
  { path: 'steps continue as new', history: 'sequential-continues', has: moves },
  { path: 'branches continue as new', history: 'parallel-continues', has: moves },
  { path: 'tasks continue as new', history: 'graph-continues', has: moves },
  // thread/
  { path: 'a thread opens', history: 'thread', has: activity('openThread') },
  { path: 'a turn', history: 'thread', has: child },
  { path: 'a thread is cleared', history: 'thread', has: update('clear') },
  {
    path: 'a turn is interrupted',
    history: 'thread-busy',
    has: event('REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED'),
  },
  { path: 'a turn gets a message', history: 'thread-busy', has: sends('steer') },
  { path: 'a turn gives one back', history: 'thread-stopped+', has: sends('giveBack') },
  { path: 'it does so while it ends', history: 'thread-stopped-late+', has: sends('giveBack') },
  { path: 'it was interrupted', history: 'thread-stopped', has: event('MARKER_RECORDED') },
  { path: 'a turn asks', history: 'thread-continues', has: signal('childInputs') },
  { path: 'a turn is saved', history: 'thread-stored', has: activity('saveTurn') },
  { path: 'the store is cleared', history: 'thread-stored', has: activity('clearTurns') },
  {
    path: 'contents of a cleared thread are erased',
    history: 'thread',
    has: activity('eraseContents'),
  },
  { path: 'a thread goes to another version', history: 'moved-thread', has: moves },
  { path: 'few checks at a time', history: 'forged-flood', has: event('MARKER_RECORDED') },
  { path: 'a newer version sends', history: 'newer-messages+', has: event('MARKER_RECORDED') },
  { path: 'a thread is idle', history: 'thread-stored', has: event('TIMER_FIRED') },
  { path: 'a thread is summarised', history: 'thread-summarised', has: activity('summarise') },
  { path: 'a thread continues as new', history: 'thread-continues', has: moves },
  {
    path: 'a thread is cancelled',
    history: 'thread-cancelled',
    has: event('WORKFLOW_EXECUTION_CANCELED'),
  },
];
