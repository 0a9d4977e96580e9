/** Definitions and every error. Loads anywhere: no Temporal, no provider. */
export {
  CallbackAbort,
  InvalidToolCall,
  MaxIterationsExceeded,
  MaxTurnsExceeded,
  RunCancelled,
  TurnCut,
} from './core/errors';
export {
  errorCodes,
  hasCode,
  LonghaulError,
  ProviderError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorOptions,
  type ProviderErrorKind,
} from './protocol/errors';
export type { InvalidToolCallAction, ToolChoice } from './protocol/agent-run';
export type { Json, JsonObject, JsonSchema } from './base/json';
export type { LogEntry, LogEvent } from './protocol/log';
export type {
  AssistantPart,
  Message,
  ToolCallPart,
  ToolResult,
  Usage,
  UserMessage,
} from './protocol/message';
export type { AgentRunOutcome, AgentRunResult, PendingInput, RunInput } from './protocol/run';
export type {
  AgentSpec,
  CompactionSpec,
  Definition,
  GraphSpec,
  GraphTaskSpec,
  MemorySpec,
  ModelSettings,
  ParallelSpec,
  RunnerSpec,
  RunTypes,
  SequentialSpec,
  ToolSpec,
  TypesOf,
} from './protocol/spec';
export { activityTool, type ActivityToolDefinition } from './define/activity-tool';
export type { AgentOptions } from './define/agent';
export type { Agent, AgentTool } from './define/runner';
export {
  abort,
  overrideResponse,
  type Abort,
  type AfterModelCallContext,
  type AfterToolCallContext,
  type BeforeModelCallContext,
  type BeforeToolCallContext,
  type CallbackContext,
  type CallbackHook,
  type CallbackHooks,
  type Callbacks,
  type CallbacksDefinition,
  type CallbackAnswer,
  type OnInvalidToolCallContext,
  type OverrideResponse,
} from './define/callbacks';
export {
  criteria,
  type Criterion,
  type CriterionContext,
  type CriterionFunction,
  type CustomCriterion,
} from './define/criteria';
export { defineAgent } from './define/agent';
export { defineCallbacks } from './define/callbacks';
export { graph, type GraphOptions, type GraphTask } from './define/orchestrations';
export { parallel, type ParallelOptions } from './define/orchestrations';
export { sequential, type SequentialOptions } from './define/orchestrations';
export { defineTool, type JsonSchemaLiteral, type ToolDefinition } from './define/tool';
export type { Duration } from './base/duration';
export { loggingCallbacks } from './define/logging-callbacks';
export type { McpServer } from './define/mcp-server';
export { mcpTools, type McpToolsOptions } from './define/mcp-tools';
export type { Problem } from './base/problem';
export type { Graph, Parallel, Runner, Sequential } from './define/runner';
export { subAgent, type SubAgentOptions } from './define/sub-agent';
export type { SubAgentTool } from './define/runner';
export type { StandardSchema } from './define/arguments/emit';
export type { ApprovalContext, Tool, ToolContext, ToolLog } from './define/tool';
export { loadSpec, type LoadSpecOptions, type Runners } from './define/files/load';
export { specFileSchema } from './define/files/published';
export type { SpecSource, SpecText } from './define/files/find';
export type { SpecProblem } from './define/files/problem';
export { toSpecText } from './define/files/write';
