// Every form that leaves a process of Longhaul and that another version may read: what the contract in `docs/upgrading.md` promises, as types.

import type { AgentRunState } from '../../../src/core/machine/run-state';
import type { GraphState } from '../../../src/core/orchestration/graph-plan';
import type { ParallelState } from '../../../src/core/orchestration/parallel-plan';
import type { SequentialState } from '../../../src/core/orchestration/sequential-plan';
import type { LonghaulActivities } from '../../../src/protocol/activities';
import type { LogEntry, LogPage } from '../../../src/protocol/log';
import type { Usage } from '../../../src/protocol/message';
import type { queryNames, signalNames } from '../../../src/protocol/names';
import type { RetriedCall, RetryNote } from '../../../src/protocol/retrying';
import type {
  AgentRunResult,
  ApproveInput,
  Cancelling,
  ChildInputs,
  ChildInputQuery,
  ChildOutcome,
  ChildResult,
  ChildView,
  ClientTool,
  CompleteInput,
  FailInput,
  InputAnswer,
  LogQuery,
  NonceReply,
  OutcomeReply,
  PendingInput,
  RejectInput,
  ResumeInput,
  ResumeReply,
  RunInput,
  RunMemo,
  RunState,
  SteerInput,
  SteerReply,
} from '../../../src/protocol/run';
import type { RunnerSpec } from '../../../src/protocol/spec';
import type {
  KeptTurn,
  SendInput,
  SendReply,
  ThreadInput,
  ThreadKey,
  TurnsQuery,
  TurnView,
  UnsavedTurn,
} from '../../../src/protocol/thread';
import type { JsonObject } from '../../../src/base/json';
import type { LoadedDefinition } from '../../../src/workflows/run/load';
import type { CarriedRun } from '../../../src/workflows/run/carried-run';
import type { CarriedThread } from '../../../src/workflows/thread/carried-thread';

type Call<Input, Result> = { readonly input: Input; readonly result: Result };

type Calls<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (input: infer Input) => infer Result
    ? Call<Input, Awaited<Result>>
    : never;
};

/** Shapes for all of these names: the compiler says which is missing. */
type EachOf<Names, Shapes extends Record<keyof Names, unknown>> = Shapes;

export type Wire = {
  readonly workflows: {
    readonly run: Call<RunInput, AgentRunResult | ChildResult>;
    readonly thread: Call<ThreadInput, null>;
  };
  readonly signals: EachOf<
    typeof signalNames,
    {
      readonly resume: string | ResumeInput;
      readonly cancelRun: Cancelling;
      readonly childInputs: ChildInputs;
      readonly answer: InputAnswer;
      readonly childResult: ChildOutcome;
      readonly steer: SteerInput;
      readonly giveBack: { readonly messageId: string };
      readonly retrying: RetryNote;
      readonly detach: null;
      readonly halt: null;
      readonly askAgain: null;
    }
  >;
  readonly updates: {
    readonly resume: Call<ResumeInput, ResumeReply>;
    readonly approve: Call<ApproveInput, ResumeReply>;
    readonly reject: Call<RejectInput, ResumeReply>;
    readonly complete: Call<CompleteInput, ResumeReply>;
    readonly fail: Call<FailInput, ResumeReply>;
    readonly outcome: Call<null, OutcomeReply>;
    readonly sendToRun: Call<SteerInput, SteerReply>;
    readonly sendToThread: Call<SendInput, SendReply>;
  };
  readonly queries: EachOf<
    typeof queryNames,
    {
      readonly state: Call<null, RunState>;
      readonly log: Call<LogQuery, LogPage>;
      readonly pending: Call<null, readonly PendingInput[]>;
      readonly nonce: Call<{ readonly inputId: string }, NonceReply>;
      readonly usage: Call<null, Usage>;
      readonly definition: Call<null, LoadedDefinition>;
      readonly context: Call<null, JsonObject>;
      readonly session: Call<null, JsonObject>;
      readonly runner: Call<null, RunInput['runner']>;
      readonly clientTools: Call<null, readonly ClientTool[]>;
      readonly childInput: Call<ChildInputQuery, RunInput['input']>;
      readonly children: Call<null, readonly ChildView[]>;
      readonly turns: Call<TurnsQuery, readonly TurnView[]>;
      readonly erasures: Call<null, number>;
    }
  >;
  readonly activities: Calls<LonghaulActivities>;
  readonly memo: {
    readonly run: RunMemo;
    readonly thread: ThreadKey;
    readonly retrying: readonly RetriedCall[];
  };
  readonly stored: {
    readonly logEntry: LogEntry;
    readonly agentRunState: AgentRunState;
    readonly carriedRun: CarriedRun;
    readonly carriedThread: CarriedThread;
    readonly sequentialPlan: SequentialState;
    readonly parallelPlan: ParallelState;
    readonly graphPlan: GraphState;
    readonly keptTurn: KeptTurn;
    readonly unsavedTurn: UnsavedTurn;
    readonly tokensHeartbeat: { readonly tokens: readonly string[]; readonly details?: unknown };
  };
  readonly spec: RunnerSpec;
};
