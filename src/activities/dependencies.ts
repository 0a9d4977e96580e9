import type { PriceTable } from '../providers/prices';
import type { ModelProvider } from '../providers/provider';
import type { Registry } from '../define/registry';
import type { Stores } from '../stores/memory-store';
import type { DefinitionCache } from './definition/definition-cache';
import type { InlineSpecs } from './definition/inline-spec';
import type { InputCache } from './log/input-cache';
import type { LogCache } from './log/log-cache';
import type { McpPool } from './mcp/mcp-pool';
import type { DeltaEvent } from './model/delta-event';

/** What the activities of one worker share. */
export type ActivityDependencies = {
  /** Whose code this worker has. */
  readonly application: string;
  readonly registry: Registry;
  readonly providers: ReadonlyMap<string, ModelProvider>;
  /** What models cost, by `'provider/model'`. */
  readonly prices: PriceTable;
  readonly logCache: LogCache;
  readonly definitions: DefinitionCache;
  readonly inputs: InputCache;
  readonly mcp: McpPool;
  /** Whether the namespace has our search attributes registered. */
  readonly hasSearchAttributes: () => Promise<boolean>;
  /** Which specs of callers this worker takes; none by default. */
  readonly inlineSpecs?: InlineSpecs;
  readonly stores?: Stores;
  readonly onDelta?: (event: DeltaEvent) => void;
};
