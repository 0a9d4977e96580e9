// The door of this room: it defines agents, tools and orchestrations, and reads definitions.
export { activityTool } from './activity-tool';
export { type AgentOptions, defineAgent } from './agent';
export {
  abort,
  type Abort,
  type CallbackAnswer,
  type CallbackContext,
  type CallbackHooks,
  type Callbacks,
  type CallbacksDefinition,
  type CallbackToolCall,
  defineCallbacks,
  overrideResponse,
  type OverrideResponse,
} from './callbacks';
export { withClientTools } from './client-tools';
export { criteria, type Criterion, type CustomCriterion } from './criteria';
export { hashDefinition } from './definition';
export {
  type Definitions,
  diffDefinitions,
  type FieldChange,
  isSameDefinition,
  type RunnerChange,
} from './diff';
export {
  addSpecs,
  checkSpec,
  loadSpec,
  type LoadSpecOptions,
  type Runners,
  type SpecsOptions,
} from './files/load';
export { formatSpecProblem, type SpecProblem } from './files/places';
export { specFileSchema } from './files/published';
export { toSpecText } from './files/write';
export { loggingCallbacks } from './logging-callbacks';
export { mcpServersOf, withMcpTools } from './mcp-definition';
export type { McpServer } from './mcp-server';
export { type ListedMcpTool, mcpToolSpecs } from './mcp-tool-spec';
export { mcpTools, type McpToolsOptions } from './mcp-tools';
export { parseOptions } from './options';
export { graph, type GraphTask, parallel, sequential } from './orchestrations';
export { parseRunnerSpec } from './parse-spec';
export { toPlainJson } from './plain-json';
export { parse } from './problems/from-zod';
export { specError } from './problems/problem';
export { type CodeOptions, createRegistry, pinnedAgents, type Registry } from './registry';
export { resultTools, withResultTools } from './result-tools';
export type { Agent, AgentTool, Graph, Parallel, Runner, Sequential, SubAgentTool } from './runner';
export { subAgent } from './sub-agent';
export {
  isToolContent,
  readPart,
  toolContent,
  toolContentOutput,
  ToolContentParts,
} from './tool-content';
export {
  type ApprovalContext,
  defineTool,
  type JsonSchemaLiteral,
  type LaterContext,
  type NeedsApproval,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type Upgraded,
} from './tool';
