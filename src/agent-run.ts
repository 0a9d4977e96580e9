/** The agent loop as a state machine, to drive without Temporal. Loads anywhere, the workflow sandbox included. */
export { AgentRun, type AgentRunOptions, type AgentRunStep } from './agent-run/agent-run';
export type {
  AssemblerOutput,
  PartialTurn,
  StreamedInvalidToolCall,
  StreamedResolution,
  StreamEvent,
} from './agent-run/streamed-turn';
export { StreamedTurnAssembler } from './agent-run/streamed-turn-assembler';
export type { AgentRunState } from './core/machine/run-state';
export type {
  AgentRunResponse,
  CompletionCallHead,
  InvalidToolCallContext,
  ModelTurn,
  ModelTurnOutcome,
} from './core/machine/steps';
export { foldLog } from './core/transcript/fold-log';
export type { PendingToolCall, InvalidToolCallAction, ToolChoice } from './protocol/agent-run';
export type { LogEvent } from './protocol/log';
