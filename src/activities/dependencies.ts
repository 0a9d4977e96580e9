import type { ModelProvider, PriceTable } from '../providers';
import type { Registry } from '../define';
import type { Deltas, StoredContent, Stores } from '../stores/index';
import type { Telemetry } from '../telemetry';
import type { DeltaEvent } from '../protocol';
import type { LogDependencies } from './call-log';
import type { DefinitionCache } from './definition/pinned-definition';
import type { InlineSpecs } from './definition/inline-spec';
import type { Pollers } from './definition/refusals';
import type { LoopWatch } from './heartbeat';
import type { InputCache } from './log/json-cache';
import type { LogCache } from './log/log-cache';
import { notHere } from './failures';
import type { PeopleHooks } from './people/hooks';
import type { McpPool } from './mcp/mcp-pool';

/** Shared by all activities of one worker. */
export type ActivityDependencies = {
  /** The application that this worker has the code of. */
  readonly application: string;
  readonly registry: Registry;
  readonly providers: ReadonlyMap<string, ModelProvider>;
  /** Prices of models by `'provider/model'`. */
  readonly prices: PriceTable;
  readonly logCache: LogCache;
  readonly definitions: DefinitionCache;
  readonly inputs: InputCache;
  readonly mcp: McpPool;
  readonly loopWatch?: LoopWatch;
  /** Without it, a search for a definition takes its whole time. */
  readonly pollers?: Pollers;
  /** Whether Longhaul's search attributes are registered in the namespace. */
  readonly hasSearchAttributes: () => Promise<boolean>;
  /** Which inline specs this worker takes. Default: none. */
  readonly inlineSpecs?: InlineSpecs;
  readonly stores?: Stores;
  /** Keeps what is too large for a log. */
  readonly results?: StoredContent;
  readonly onDelta?: (event: DeltaEvent) => void;
  readonly deltas?: Deltas;
  readonly telemetry?: Telemetry;
} & LogDependencies &
  PeopleHooks;

/** The provider of a model. Throws `NotRegisteredHere`. */
export function providerOf(
  { providers }: Pick<ActivityDependencies, 'providers'>,
  name: string,
): ModelProvider {
  const provider = providers.get(name);
  if (provider === undefined)
    throw notHere(`model provider '${name}'`, { known: providers.keys() });
  return provider;
}
