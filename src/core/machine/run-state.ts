import type { Json } from '../../base';
import type { ModelTurnEvent, NewEntry } from '../../protocol/log';
import type { AssistantPart, CompletionCall } from '../../protocol/message';
import { count, listOf, partly, type Shape, stored, text, texts } from '../../protocol/shapes';
import type { MachineFailure } from '../failure';
import type { StoredOptions } from './options';
import type { Amendment } from './working-turn';

/** The way in which a call of the current batch gets its answer: from the driver, from a person, or from elsewhere (`deferred`). */
export type CallSlot = 'execute' | 'malformed' | 'question' | 'approval' | 'deferred';

export const acceptedTurnShape = stored({
  event: partly<NewEntry<ModelTurnEvent>>(stored({ content: listOf(stored({ type: text })) })),
  tools: texts,
  allowed: texts,
  amendments: listOf(partly<Amendment>(stored({ kind: text, index: count }))),
  /** Skipped calls. `index` counts all calls of the provider. */
  skips: listOf(stored({ index: count, reason: text })),
});

/** A turn that has arrived and is not in history yet. `tools` and `allowed` are sorted names. */
export type AcceptedTurn = Shape<typeof acceptedTurnShape>;

export type MachineState =
  /** `recordingOwed`: the driver may still record the usage of an abandoned stream. */
  | { readonly kind: 'preparing'; readonly recordingOwed: boolean }
  /** `recorded`: the usage of a streamed attempt is already recorded. */
  | { readonly kind: 'awaiting-model'; readonly recorded: boolean }
  | { readonly kind: 'resolving-tool-calls'; readonly turn: AcceptedTurn }
  | { readonly kind: 'awaiting-advance'; readonly turn: AcceptedTurn }
  | { readonly kind: 'executing-tools'; readonly slots: readonly CallSlot[] }
  | { readonly kind: 'awaiting-input'; readonly question: string }
  | {
      readonly kind: 'done';
      readonly completionReason: string;
      readonly structured?: Json;
      /** Only for an empty turn, because history does not have such a turn. */
      readonly content?: readonly AssistantPart[];
    }
  | { readonly kind: 'failed'; readonly failure: MachineFailure };

export type RunStateKind = MachineState['kind'];

/** The counters of the whole run. */
export type Counters = {
  readonly turn: number;
  readonly iterations: number;
  readonly invalidToolCallRetries: number;
  readonly malformedInARow: number;
  readonly outputRetries: number;
};

/** A machine as plain JSON. It does not contain the log. The messages follow from the log. */
export type StoredMachine = Counters & {
  readonly format: 1;
  readonly options: StoredOptions;
  readonly completionCalls: readonly CompletionCall[];
  readonly state: MachineState;
};

/** A run of `AgentRun` as plain JSON, with the log. */
export type AgentRunState = StoredMachine & { readonly log: readonly NewEntry[] };

export const noCounts: Counters = {
  turn: 0,
  iterations: 0,
  invalidToolCallRetries: 0,
  malformedInARow: 0,
  outputRetries: 0,
};
