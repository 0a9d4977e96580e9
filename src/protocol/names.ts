/** Names on the wire between clients, workflows and the Web UI. They are part of the public contract. */
export const workflowTypes = {
  agent: 'agentWorkflow',
  sequential: 'sequentialWorkflow',
  parallel: 'parallelWorkflow',
  graph: 'graphWorkflow',
} as const;

/** A conversation: its turns are runs of the types above. */
export const threadType = 'threadWorkflow';

export const allWorkflowTypes: readonly string[] = [...Object.values(workflowTypes), threadType];

type RunKind = keyof typeof workflowTypes;

const kinds = new Map(Object.entries(workflowTypes).map(([kind, type]) => [type, kind]));

/** The converse of `workflowTypes`: undefined for a type that is not a run's. */
export function kindOfType(type: string): RunKind | undefined {
  return kinds.get(type as (typeof workflowTypes)[RunKind]) as RunKind | undefined;
}

/** A condition for the server's list of workflows. */
export function whereType(types: readonly string[] = allWorkflowTypes): string {
  return `WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`;
}

/**
 * Between runs: a child tells the root run what it waits for (`childInputs`) and gets the answer (`answer`); one whose outcome is
 * out while runs below it are still open tells its caller (`childResult`); one whose result nobody needs any more is told so (`detach`).
 * From a client that is about to reset a run: it ends what is under way, and does nothing more (`halt`).
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
} as const;

export const updateNames = {
  resume: 'resume',
  outcome: 'outcome',
  approve: 'approve',
  reject: 'reject',
  send: 'send',
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
  childInput: 'childInput',
  children: 'children',
  turns: 'turns',
} as const;

export const memoKey = 'longhaul';

/** Of a thread: whose conversation it is. Fixed when it starts. */
export const threadMemoKey = 'longhaulThread';

export const searchAttributes = {
  agent: 'LonghaulAgent',
  status: 'LonghaulStatus',
  /** A list: hashes of the members of the key it was started with. */
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

/** The tool by which an agent asks a person, when its spec says `askUser: 'tool'`. */
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
    },
    required: ['question'],
    additionalProperties: false,
  },
};

/** What every agent takes that is called as a tool. */
export const subAgentInputSchema = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
};

/** A text response that starts with this asks the user the rest of it. */
export const askUserMarker = '__ask_user__:';
