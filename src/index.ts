// Definitions, and errors. Loads anywhere: no Temporal, no provider. Other tasks have entries of their own: `longhaul/client` starts
// and answers runs, `longhaul/worker` runs them, `longhaul/workflows` is for your own workflows, `longhaul/testing` for tests.

// Agents.
export { defineAgent, type AgentOptions } from './define/agent';
export type { Agent, AgentTool } from './define/runner';
export type { ModelSettings, RunTypes, TypesOf } from './protocol/spec';

// Tools of an agent: your code, your activities, other agents, MCP servers.
export {
  defineTool,
  type ApprovalContext,
  type ApprovalOptions,
  type DeferredToolDefinition,
  type LaterContext,
  type NeedsApproval,
  type Tool,
  type ToolContext,
  type ToolDefinition,
} from './define/tool';
export { toolContent, type ToolContentPart, type ToolContentParts } from './define/tool-content';
export { activityTool } from './define/activity-tool';
export { subAgent, type SubAgentOptions } from './define/sub-agent';
export type { SubAgentTool } from './define/runner';
export { mcpTools, type McpToolsOptions } from './define/mcp-tools';
export type { McpServer } from './define/mcp-server';

// When a run is complete.
export {
  criteria,
  type Criterion,
  type CriterionFunction,
  type CustomCriterion,
} from './define/criteria';

// Your code around model calls and tool calls.
export {
  abort,
  defineCallbacks,
  overrideResponse,
  type Abort,
  type CallbackHooks,
  type Callbacks,
  type CallbacksDefinition,
  type OverrideResponse,
} from './define/callbacks';
export { loggingCallbacks } from './define/logging-callbacks';

// Orchestrations: agents one after the other, at the same time, or by their dependencies.
export {
  graph,
  parallel,
  sequential,
  type GraphOptions,
  type GraphTask,
  type ParallelOptions,
  type SequentialOptions,
} from './define/orchestrations';
export type { Graph, Parallel, Runner, Sequential } from './define/runner';

// Definitions as YAML and JSON, and as data.
export { loadSpec, type LoadSpecOptions, type Runners } from './define/files/load';
export type { SpecProblem } from './define/files/places';
export { specFileSchema } from './define/files/published';
export { toSpecText } from './define/files/write';
export type { AgentSpec, RunnerSpec } from './protocol/spec';

// What runs take, say and write.
export type { Json, JsonObject } from './base/json';
export type { LogEntry } from './protocol/log';
export type { Actor, ApproverRule } from './protocol/people';
export type { Message, ToolCallPart, ToolResult, Usage } from './protocol/message';
export type { RunInput } from './protocol/run';

// Errors.
export { hasCode, LonghaulError, ProviderError, type ErrorCode } from './protocol/errors';
