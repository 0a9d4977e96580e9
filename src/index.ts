/** Definitions and the loop's state machine. Loads anywhere: no Temporal, no provider. */
export type { Agent, AgentOptions, AgentTool } from './spec/agent';
export {
  criteria,
  type Criterion,
  type CriterionContext,
  type CriterionFunction,
  type CustomCriterion,
} from './spec/criteria';
export { defineAgent } from './spec/define-agent';
export { defineTool, type JsonSchemaLiteral, type ToolDefinition } from './spec/define-tool';
export type { Duration } from './spec/duration';
export type { Problem } from './spec/problem';
export type { StandardSchema } from './spec/standard-schema';
export type { ApprovalContext, Tool, ToolContext, ToolLog } from './spec/tool';
export { hasCode, LonghaulError, ProviderError, type ErrorCode } from './protocol/errors';
