// The agent loop as a state machine, to drive without Temporal. Loads anywhere, also in the workflow sandbox.

// The run, its steps and its state.
export { AgentRun, type AgentRunOptions, type AgentRunStep } from './agent-run/agent-run';
export type { AgentRunState } from './core/machine/run-state';
export type { AgentRunResponse, ModelTurn, ModelTurnOutcome } from './core/machine/steps';
export type { PendingToolCall, ToolChoice } from './protocol';

// Calls of tools that do not exist.
export type { InvalidToolCallContext } from './core/machine/steps';
export type { InvalidToolCallAction } from './protocol';

// Streamed turns.
export { StreamedTurnAssembler } from './agent-run/streamed-turn-assembler';
export type {
  AssemblerOutput,
  PartialTurn,
  StreamedInvalidToolCall,
  StreamEvent,
} from './agent-run/streamed-turn';
export type { CompletionCallHead } from './core/machine/steps';

// The log, and the messages that it stands for.
export { foldLog } from './core/transcript/fold-log';
export type { LogEvent } from './protocol';

// The errors that end a run. Each has the conversation up to there.
export {
  CallbackAbort,
  InvalidToolCall,
  MaxIterationsExceeded,
  MaxTurnsExceeded,
  RunCancelled,
  TurnCut,
} from './core/errors';
