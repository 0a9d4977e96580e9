// Definitions, telemetry and errors. Loads without Temporal, a provider or OpenTelemetry. Other tasks have other entries: `longhaul/client`
// starts and answers runs, `longhaul/worker` runs them, `longhaul/workflows` is for your own workflows, `longhaul/testing` for tests.

// Agents.
export { type AgentOptions, defineAgent } from './define';
export type { Agent, AgentTool } from './define';
export type { ModelSettings, RunTypes, TypesOf } from './protocol';

// Tools of an agent: your code, your activities, other agents, MCP servers.
export {
  type ApprovalContext,
  defineTool,
  type LaterContext,
  type NeedsApproval,
  type Tool,
  type ToolContext,
  type ToolDefinition,
} from './define';
export { toolContent, type ToolContentParts } from './define';
export { activityTool } from './define';
export { subAgent } from './define';
export type { SubAgentTool } from './define';
export { mcpTools, type McpToolsOptions } from './define';
export type { McpServer } from './define';

// When a run is complete.
export { criteria, type Criterion, type CustomCriterion } from './define';

// Your code around model calls and tool calls.
export {
  abort,
  type Abort,
  type CallbackHooks,
  type Callbacks,
  type CallbacksDefinition,
  defineCallbacks,
  overrideResponse,
  type OverrideResponse,
} from './define';
export { loggingCallbacks } from './define';

// Orchestrations: agents one after the other, at the same time, or by their dependencies.
export { graph, type GraphTask, parallel, sequential } from './define';
export type { Graph, Parallel, Runner, Sequential } from './define';

// Definitions as YAML and JSON, and as data.
export { loadSpec, type LoadSpecOptions, type Runners } from './define';
export type { SpecProblem } from './define';
export { specFileSchema } from './define';
export { toSpecText } from './define';
export type { AgentSpec, RunnerSpec } from './protocol';

// The data of runs: inputs, results and logs.
export type { Json, JsonObject } from './base';
export type { LogEntry } from './protocol';
export type { Actor, ApproverRule } from './protocol';
export type { Message, ToolCallPart, ToolResult, Usage } from './protocol';
export type { RunInput } from './protocol';

// Telemetry of workers and clients, by OpenTelemetry.
export { observePauses, openTelemetry, type OpenTelemetryOptions } from './telemetry/otel';
export type { ContentPart, Redact, Telemetry } from './telemetry/otel';

// Errors.
export { hasCode, LonghaulError, ProviderError, type ErrorCode } from './protocol';
