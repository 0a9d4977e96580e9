/** One line on each field of the format, by its name: shown by editors, and in the docs. */
const help: Readonly<Record<string, string>> = {
  id: 'Unique within all files of a spec',
  description: 'For people; of a sub-agent, what the calling model chooses it by',
  model: "'provider/model', or {provider, model}",
  provider: "Where it stands, 'model' is the name of the model alone",
  instructions: 'The system prompt, or {path} of a file with it',
  tools:
    'Names of tools, which are code; {name, needsApproval: true} lets a person approve each call',
  subAgents: 'Runners that the agent may call as tools',
  mcpServers: 'Names of MCP servers of the worker',
  toolConcurrency: 'How many calls of one turn run at a time',
  toolChoice: "'auto', 'none', 'required' or {only: [names]}",
  maxIterations: 'Rounds of tool calls',
  maxTurns: 'Model calls in total',
  criteria: 'When a text completes the run: any of these',
  callbacks: "Names of callbacks, which are code; 'logging' is built in",
  output: 'The answer is JSON that matches {schema}',
  settings: 'Of the model calls',
  askUser: "How the model asks a person: 'tool', 'marker', false, or 'never'",
  inputTimeout: "How long a question waits: '3 days', or milliseconds",
  onInputTimeout: "'fail', or {answer} to go on with",
  onInvalidToolCall: "'retry', 'fail' or 'ignore': a call of a tool that is not there",
  maxInvalidToolCalls: 'How often that is told to the model',
  sessionPrecedence:
    "Which value of a session key counts: the 'caller' one, or that of the 'store'",
  budget: 'What a run may use',
  memory: 'What the agent is given of the earlier turns of its thread',
  steps: 'Runners, one after the other',
  passOutput: "What a step gets: the input, the text of the step before (true), or 'combined'",
  branches: 'Runners, at the same time',
  merge: "The results of all ('collect_all'), or of the branch that completes 'first'",
  cancelRest: "With 'first': whether the other branches are cancelled",
  concurrency: 'How many branches run at a time',
  tasks: 'Each starts as soon as those it depends on are done',
  runner: 'The id of a runner, {ref: id}, or a runner',
  dependencies: 'Ids of the tasks whose results this one waits for',
  prompt:
    'A template with ${input}, ${task.output}, ${task.structured.field} and ${name}, or {path}',
  maxRetries: 'How often the task runs again after it failed',
};

export function fieldHelp(name: string): string | undefined {
  return Object.hasOwn(help, name) ? help[name] : undefined;
}
