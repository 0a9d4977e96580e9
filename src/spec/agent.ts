import type { ToolChoice } from '../protocol/agent-run';
import type {
  AgentSpec,
  AskUser,
  BudgetSpec,
  CompactionSpec,
  MemorySpec,
  ModelRef,
  ModelSettings,
} from '../protocol/spec';
import type { Callbacks } from './callbacks';
import type { Criterion, CriterionFunction } from './criteria';
import type { JsonSchemaLiteral } from './define-tool';
import type { Duration } from '../base/duration';
import type { McpServer } from './mcp-server';
import type { StandardSchema } from './standard-schema';
import type { SubAgentTool } from './sub-agent';
import type { Tool } from './tool';

/** What an agent's `tools` list holds. */
export type AgentTool = Tool | SubAgentTool | McpServer;

/** A `MemorySpec` in which the model that summarises may be text. */
type MemoryOptions = (
  | Omit<Extract<MemorySpec, { kind: 'full' }>, 'compact'>
  | Omit<Extract<MemorySpec, { kind: 'windowed' }>, 'compact'>
) & {
  readonly compact?: Omit<CompactionSpec, 'model'> & { readonly model?: string | ModelRef };
};

export type AgentOptions = {
  readonly id: string;
  readonly description?: string;
  /** `'provider/model'`, such as `'openai/gpt-6.1-terra'` or `'ollama/llama3.1:8b'`. */
  readonly model: string | ModelRef;
  readonly instructions?: string;
  readonly tools?: readonly AgentTool[];
  /** How many calls of one turn run at a time, 1 to 32. Default 16. */
  readonly toolConcurrency?: number;
  /** Rounds of tool calls. Default 10. */
  readonly maxIterations?: number;
  /** Model calls in total. Default 2 × maxIterations + 5. */
  readonly maxTurns?: number;
  readonly criteria?: readonly Criterion[];
  /** Code around model and tool calls, in the order it runs. */
  readonly callbacks?: readonly Callbacks[];
  readonly toolChoice?: ToolChoice;
  /** The answer is JSON that matches this schema. */
  readonly output?: { readonly schema: StandardSchema | JsonSchemaLiteral };
  readonly settings?: ModelSettings;
  /**
   * How the model asks a person: with a tool, with a marker in its text, or not at all (default). A text that starts with the
   * marker pauses the run all the same; `'never'` takes it as an answer, for agents that nobody attends.
   */
  readonly askUser?: AskUser;
  /** How long a question waits for its answer. Default: for ever. */
  readonly inputTimeout?: Duration;
  readonly onInputTimeout?: 'fail' | { readonly answer: string };
  readonly onInvalidToolCall?: 'retry' | 'fail' | 'ignore';
  readonly maxInvalidToolCalls?: number;
  readonly sessionPrecedence?: 'caller' | 'store';
  readonly budget?: BudgetSpec;
  /** What it is given of its thread's earlier turns. */
  readonly memory?: MemoryOptions;
};

/** An agent: its data, which runs pin, and its code, which stays on the worker. Made by `defineAgent`, immutable. */
export type Agent = {
  readonly kind: 'agent';
  readonly id: string;
  readonly spec: AgentSpec;
  readonly tools: readonly Tool[];
  /** Runners it calls as tools. */
  readonly subAgents: readonly SubAgentTool[];
  readonly mcpServers: readonly McpServer[];
  /** Custom criteria by name. */
  readonly criteria: ReadonlyMap<string, CriterionFunction>;
  readonly callbacks: readonly Callbacks[];
};
