// Names of OpenTelemetry's conventions for generative AI, and ours beside them. The conventions are not stable, so the names are our own
// constants. Read from https://github.com/open-telemetry/semantic-conventions-genai as it was before its first release, v0.1.0.
// @opentelemetry/semantic-conventions v1.45 has the same names, but for the durations of tools and workflows; a test compares them.

export const spanNames = {
  chat: 'chat',
  executeTool: 'execute_tool',
  invokeAgent: 'invoke_agent',
  invokeWorkflow: 'invoke_workflow',
} as const;

export const genAi = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversation: 'gen_ai.conversation.id',
  outputType: 'gen_ai.output.type',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  workflowName: 'gen_ai.workflow.name',
  requestModel: 'gen_ai.request.model',
  temperature: 'gen_ai.request.temperature',
  maxTokens: 'gen_ai.request.max_tokens',
  stopSequences: 'gen_ai.request.stop_sequences',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  tokenType: 'gen_ai.token.type',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  toolDescription: 'gen_ai.tool.description',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolDefinitions: 'gen_ai.tool.definitions',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
} as const;

export const errorType = 'error.type';

/** The attribute by which Langfuse groups traces. */
export const sessionId = 'session.id';

/** Longhaul's own attributes. */
export const longhaul = {
  agent: 'longhaul.agent',
  attempt: 'longhaul.attempt',
  cost: 'longhaul.cost_usd',
  definition: 'longhaul.definition',
  logSource: 'longhaul.log.source',
  lost: 'longhaul.lost',
  path: 'longhaul.path',
  pausedMs: 'longhaul.paused_ms',
  purpose: 'longhaul.purpose',
  root: 'longhaul.root',
  runCost: 'longhaul.run.cost_usd',
  runId: 'longhaul.run_id',
  runInputTokens: 'longhaul.run.input_tokens',
  runOutputTokens: 'longhaul.run.output_tokens',
  segment: 'longhaul.segment',
  status: 'longhaul.status',
  taskQueue: 'longhaul.task_queue',
  turn: 'longhaul.turn',
  workerWaitMs: 'longhaul.worker_wait_ms',
  workflowId: 'longhaul.workflow_id',
} as const;

export const metricNames = {
  operationDuration: 'gen_ai.client.operation.duration',
  tokenUsage: 'gen_ai.client.token.usage',
  timeToFirstChunk: 'gen_ai.client.operation.time_to_first_chunk',
  toolDuration: 'gen_ai.execute_tool.duration',
  workflowDuration: 'gen_ai.workflow.duration',
  cost: 'longhaul.cost',
  failedCalls: 'longhaul.model.failed_attempts',
  runs: 'longhaul.runs',
  pauseDuration: 'longhaul.pause.duration',
  logReads: 'longhaul.log.reads',
  openPauses: 'longhaul.pauses.open',
  oldestPause: 'longhaul.pauses.oldest_age',
} as const;

const providers: Readonly<Record<string, string>> = {
  'openai-chat': 'openai',
  google: 'gcp.gemini',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

/** The name that the conventions give a provider. Names that they do not know stay as they are. */
export function providerName(provider: string): string {
  return Object.hasOwn(providers, provider) ? (providers[provider] ?? provider) : provider;
}
