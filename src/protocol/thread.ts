import type { ErrorCode } from './errors';
import type { LogRef } from './log';
import type { JsonObject } from '../base/json';
import type { UserInput } from './message';
import type { RunKey, RunSpend } from './run';
import type { BudgetSpec, MemorySpec, RunnerSpec } from './spec';

/** Whose conversation a thread is. */
export type ThreadKey = Required<RunKey>;

/** The input of `threadWorkflow`. */
export type ThreadInput = {
  /** The id of a registered runner, or its whole spec. */
  readonly runner: string | RunnerSpec;
  readonly key: ThreadKey;
  /** The application whose workers run the code. Default: the name of the task queue. */
  readonly application?: string;
  /** The session at the start of the first turn. */
  readonly session?: JsonObject;
  /** How long it stays open while idle. Only with a store, because otherwise the conversation would be lost. */
  readonly idleTimeoutMs?: number;
};

/** What happens to a message that comes while a turn is running. */
export type WhenBusy = 'queue' | 'reject' | 'interrupt';

export type SendInput = {
  /** A message with a known id is a repetition, and counts once. */
  readonly messageId: string;
  readonly input: UserInput;
  /** Default `queue`. */
  readonly whenBusy?: WhenBusy;
  readonly context?: JsonObject;
  readonly budget?: BudgetSpec;
};

/** The turn of a message. Its run starts when the turns before it are done. */
export type SendReply = {
  readonly messageId: string;
  readonly turn: number;
  readonly workflowId: string;
};

export type TurnStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

/** A turn of a thread. */
export type TurnView = SendReply & {
  readonly status: TurnStatus;
  /** For a queued turn: the run of the turn that is running. */
  readonly behind?: string;
  /** ISO 8601: when the message came. */
  readonly createdAt: string;
  readonly user: UserInput;
  /** The final text of a completed turn. */
  readonly assistant?: string;
  /** Of a failed turn. */
  readonly failure?: { readonly code?: ErrorCode; readonly message: string };
};

export type TurnsQuery = {
  /** Only the newest so many. */
  readonly last?: number;
  readonly messageId?: string;
  readonly status?: TurnStatus;
};

export type OpenThreadInput = {
  /** Left out where it is the task queue's name. */
  readonly application?: string;
  readonly runner: string;
  /** The thread was started with the whole spec: it is asked for it. */
  readonly inline?: true;
  readonly key: ThreadKey;
};

/** A turn as a store has it, without its key. */
export type KeptTurn = {
  readonly id: string;
  readonly messageId: string;
  readonly workflowId: string;
  readonly user: UserInput;
  readonly assistant: string;
  readonly createdAt: string;
};

export type OpenThreadResult = {
  /** Of the runner, where it is an agent that says so. */
  readonly memory?: MemorySpec;
  readonly searchAttributes: boolean;
  /** What the store holds, the oldest first; the newest that fit. */
  readonly turns: readonly KeptTurn[];
  /** How many turns the store holds in all. */
  readonly count: number;
  /** The session as the last turn left it. */
  readonly session?: JsonObject;
  /** Which generation of the key the store is in. */
  readonly generation?: string;
};

/** A turn on its way to a store: `eventData` is what else is known of it. */
export type UnsavedTurn = Omit<KeptTurn, 'messageId'> & { readonly eventData: JsonObject };

export type StoreInput = {
  /** Left out where it is the task queue's name. */
  readonly application?: string;
  readonly store: string;
  readonly key: ThreadKey;
  /** Nothing is written when the store is in another one. */
  readonly generation: string;
  /** The thread ends: a store that no worker has is not waited for. */
  readonly isLast?: boolean;
};

export type SaveTurnInput = StoreInput & { readonly turn: UnsavedTurn };

/** `next`: the generation that the clear begins. */
export type ClearTurnsInput = StoreInput & { readonly next: string };

/** The generation that the store is in: the one that was named, or begun, when it was written. */
export type StoreReply = { readonly generation: string };

export type CompactTurnsInput = {
  /** Left out where it is the task queue's name. */
  readonly application?: string;
  readonly runner: string;
  readonly inline?: true;
  readonly log: LogRef;
  /** The turns that stay as they are: all before them go into the summary. */
  readonly keepTurns: number;
};

/** `turns`: how many turns the text stands for, from the thread's first one kept on. `spend`: what the summary cost. */
export type CompactTurnsResult = {
  readonly text: string;
  readonly turns: number;
  readonly spend: RunSpend;
};
