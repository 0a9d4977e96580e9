import type { ErrorCode } from './errors';
import type { JsonObject } from '../base';
import type { UserInput } from './message';
import { actorShape, type WorkerHook } from './people';
import { clientToolShape } from './run';
import {
  anything,
  count,
  jsonObject,
  listOf,
  number,
  objectOf,
  oneOf,
  type Shape,
  shortText,
  text,
  type ValueOf,
} from './shapes';
import type { BudgetSpec, ContextSpec, MemorySpec, RunnerSpec } from './spec';

export const threadKeyShape = objectOf(
  { appName: shortText, userId: shortText, sessionId: shortText },
  { tenant: shortText },
);

/** The owner and the name of a thread's conversation. The tenant is not part of the thread's id. */
export type ThreadKey = Shape<typeof threadKeyShape>;

/** The key under which a store has the conversation. A tenant is in its `userId`. */
export type StoredKey = Omit<ThreadKey, 'tenant'>;

export const threadInputShape = objectOf(
  {
    /** The id of a registered runner, or its whole spec. */
    runner: anything<string | RunnerSpec>(),
    key: threadKeyShape,
  },
  {
    /** The application with the code. Default: the name of the task queue. */
    application: text,
    /** The session at the start of the first turn. */
    session: jsonObject,
    /** How long the thread stays open while idle. It needs a store, because otherwise the conversation would be lost. */
    idleTimeoutMs: number,
  },
);

/** The input of `threadWorkflow`. */
export type ThreadInput = Shape<typeof threadInputShape>;

const whenBusyShape = oneOf('queue', 'reject', 'interrupt', 'steer');

/** What happens to a message that comes while a turn is running. */
export type WhenBusy = ValueOf<typeof whenBusyShape>;

export const sendInputShape = objectOf(
  {
    /** A message with a known id is a repetition. It counts only once. */
    messageId: shortText,
    input: anything<UserInput>(),
  },
  {
    /** Default `queue`. */
    whenBusy: whenBusyShape,
    by: actorShape,
    context: jsonObject,
    budget: anything<BudgetSpec>(),
    /** At most `limits.clientTools`. Only for an agent. */
    clientTools: listOf(clientToolShape),
    /** W3C `traceparent` of the code that sends the message. */
    trace: text,
    /**
     * The answer of the query `erasures` before the sender kept the contents of `input`. If the number is another one now, the contents may
     * be deleted.
     */
    erasures: count,
  },
);

export type SendInput = Shape<typeof sendInputShape>;

/** The turn of a message. Its run starts when the turns before it are done. */
export type SendReply = {
  readonly messageId: string;
  readonly turn: number;
  readonly workflowId: string;
};

const turnStatusShape = oneOf('queued', 'running', 'completed', 'failed', 'cancelled');

export type TurnStatus = ValueOf<typeof turnStatusShape>;

/** A turn of a thread. */
export type TurnView = SendReply & {
  readonly status: TurnStatus;
  /** Only for a queued turn: the run of the turn that is running. */
  readonly behind?: string;
  /** The time when the message came, in ISO 8601. */
  readonly createdAt: string;
  readonly user: UserInput;
  /** How many parts at the end of `user` came while the turn worked. Absent if there are none. */
  readonly steeredParts?: number;
  /** The final text of a completed turn. */
  readonly assistant?: string;
  /** The failure of a failed turn. */
  readonly failure?: { readonly code?: ErrorCode; readonly message: string };
};

export const turnsQueryShape = objectOf(
  {},
  {
    /** Return only this many of the newest turns. */
    last: count,
    messageId: shortText,
    status: turnStatusShape,
  },
);

export type TurnsQuery = Shape<typeof turnsQueryShape>;

export type OpenThreadInput = {
  /** Absent if it is the name of the task queue. */
  readonly application?: string;
  readonly runner: string;
  /** The thread was started with the whole spec. The activity asks the thread for it. */
  readonly inline?: true;
  readonly key: StoredKey;
};

/** A turn in a store, without its key. */
export type KeptTurn = {
  readonly id: string;
  readonly messageId: string;
  readonly workflowId: string;
  readonly user: UserInput;
  readonly assistant: string;
  readonly createdAt: string;
};

export type OpenThreadResult = {
  /** The memory of the runner, if the runner is an agent with this option. */
  readonly memory?: MemorySpec;
  /** What the thread does with a conversation that outgrows the model's context. */
  readonly context?: ContextSpec;
  readonly searchAttributes: boolean;
  /** The hooks of the worker. */
  readonly hooks?: readonly WorkerHook[];
  /** The newest turns of the store that fit, oldest first. */
  readonly turns: readonly KeptTurn[];
  /** The number of all turns in the store. */
  readonly count: number;
  /** The session after the last turn. */
  readonly session?: JsonObject;
  /** The generation of the key in the store. */
  readonly generation?: string;
};

/** A turn on its way to a store. `eventData` has the other facts about the turn. */
export type UnsavedTurn = Omit<KeptTurn, 'messageId'> & { readonly eventData: JsonObject };

export type StoreInput = {
  /** Absent if it is the name of the task queue. */
  readonly application?: string;
  readonly store: string;
  readonly key: StoredKey;
  /** The activity writes nothing if the store is in another generation. */
  readonly generation: string;
  /** The thread ends, so it does not wait for a store that no worker has. */
  readonly isLast?: boolean;
};

export type SaveTurnInput = StoreInput & { readonly turn: UnsavedTurn };

/** `next` is the generation that the clear begins. */
export type ClearTurnsInput = StoreInput & { readonly next: string };

/** Deletes contents that the thread kept in the result store before this time, except these. */
export type EraseContentsInput = {
  /** Absent if it is the name of the task queue. */
  readonly application?: string;
  /** ISO 8601. */
  readonly before: string;
  /** Digests of contents that waiting messages name. */
  readonly except: readonly string[];
};

/** The generation of the store. If the activity wrote, it is the generation that the input named or began. */
export type StoreReply = { readonly generation: string };
