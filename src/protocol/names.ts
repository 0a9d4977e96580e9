import type { JsonSchema } from '../base';

/** Names on the wire between clients, workflows and the Web UI. They are part of the public contract. */
export const workflowTypes = {
  agent: 'agentWorkflow',
  sequential: 'sequentialWorkflow',
  parallel: 'parallelWorkflow',
  graph: 'graphWorkflow',
} as const;

/** A conversation. Its turns are runs of the types above. */
export const threadType = 'threadWorkflow';

export const allWorkflowTypes: readonly string[] = [...Object.values(workflowTypes), threadType];

type RunKind = keyof typeof workflowTypes;

const kinds: ReadonlyMap<string, string> = new Map(
  Object.entries(workflowTypes).map(([kind, type]) => [type, kind]),
);

/** The reverse of `workflowTypes`. Undefined for a type that is not a type of a run. */
export function kindOfType(type: string): RunKind | undefined {
  return kinds.get(type) as RunKind | undefined;
}

/** A condition for the server's list of workflows. */
export function whereType(types: readonly string[] = allWorkflowTypes): string {
  return `WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`;
}

/** The arguments that each tool of a worker takes: by its schema, or by one of those that it `accepts` and upgrades. */
export type DeployedTools = { readonly [tool: string]: readonly JsonSchema[] };

/** The header with the caller's trace context: the one of Temporal's OpenTelemetry interceptors, a W3C carrier as JSON. */
export const traceHeader = '_tracer-data';

/**
 * Signals between runs. A child sends its open inputs to the root run (`childInputs`), and gets the answer (`answer`). If a child has its
 * outcome while runs below it are still open, it sends the outcome to its caller (`childResult`). If nobody needs a child's result any
 * more, the child gets `detach`. A thread passes a message to its running turn (`steer`). A turn that is being cancelled gives it back
 * (`giveBack`). A client that is about to reset a run sends `halt`: the run ends its open work, and does nothing more. A worker sends
 * `retrying` if a call of the run has failed and is tried again.
 */
export const signalNames = {
  resume: 'resume',
  cancelRun: 'cancelRun',
  childInputs: 'childInputs',
  answer: 'answer',
  childResult: 'childResult',
  detach: 'detach',
  halt: 'halt',
  askAgain: 'askAgain',
  steer: 'steer',
  giveBack: 'giveBack',
  retrying: 'retrying',
} as const;

export const updateNames = {
  resume: 'resume',
  outcome: 'outcome',
  approve: 'approve',
  reject: 'reject',
  complete: 'complete',
  fail: 'fail',
  send: 'send',
  migrate: 'migrate',
  clear: 'clear',
} as const;

export const queryNames = {
  state: 'state',
  log: 'log',
  pending: 'pending',
  nonce: 'nonce',
  usage: 'usage',
  definition: 'definition',
  context: 'context',
  session: 'session',
  runner: 'runner',
  clientTools: 'clientTools',
  childInput: 'childInput',
  children: 'children',
  turns: 'turns',
  erasures: 'erasures',
} as const;

export const memoKey = 'longhaul';

/** The owner of a thread's conversation. Set at the start, and never changed. */
export const threadMemoKey = 'longhaulThread';

export const searchAttributes = {
  agent: 'LonghaulAgent',
  status: 'LonghaulStatus',
  /** A list of hashes of the members of the key that the run was started with. */
  key: 'LonghaulKey',
} as const;

export const defaults = {
  taskQueue: 'longhaul',
  namespace: 'default',
  address: '127.0.0.1:7233',
} as const;

export const idPatterns = {
  agent: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  tool: /^[A-Za-z0-9_-]{1,64}$/,
  workflow: /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$/,
} as const;

/** The tool with which an agent asks a person if its spec has `askUser: 'tool'`. */
export const askUserTool = {
  name: 'ask_user',
  description:
    'Ask the user a question and wait for the answer. Use it when you cannot go on without information or a decision that only the user has.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'The question, complete in itself.' },
      options: {
        type: 'array',
        items: { type: 'string' },
        description: 'Suggested answers, if the choice is closed.',
      },
      schema: {
        type: 'object',
        description:
          'A JSON Schema of the answer, if you need data and not a text. The user then fills in a form, and you get JSON.',
      },
    },
    required: ['question'],
    additionalProperties: false,
  },
};

/** The tools that read what a result store keeps. No other tool may have these names. */
export const resultToolNames = { read: 'read_result', find: 'find_in_result' } as const;

/** The input of every agent that a model calls as a tool. */
export const subAgentInputSchema = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
};

/** If a text response starts with this marker, the rest is a question to the user. */
export const askUserMarker = '__ask_user__:';

/** The error of a query on a worker that has read events of the run which no workflow task has taken yet. */
export const taskComesFirst = 'a workflow task of this run comes before the answer';

/** The header of a query to a run that is closed. No workflow task will take what is left. */
export const closedRunHeader = 'longhaul-closed-run';
