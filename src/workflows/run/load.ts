// What a run loads at its start and saves to the stores at its end.
//
// 1. The run records its whole definition once, with everything it calls, so that a redeploy never changes a running run.
// 2. Only the root run reads and saves a session. The runs it calls share it.
// 3. If a store stays down, a run that has its answer does not fail. The result has a warning.
// 4. A run saves its session only over the one that it started from. If another run has saved since, the newer session stays.

import type { RunSession } from './run-session';
import {
  ActivityFailure,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { runnerConfig } from '../../core/runner-config';
import {
  anObject,
  anything,
  type Definition,
  flag,
  limits,
  type LoadDefinitionInput,
  type LoadDefinitionResult,
  type LonghaulActivities,
  LonghaulError,
  type OpenRunResult,
  type RunInput,
  type RunnerConfig,
  type Shape,
  type StateStoreName,
  stored,
  text,
  timeouts,
  type WorkerHook,
} from '../../protocol';
import { childFailure } from '../children/child-failure';
import {
  controlActivities,
  definitionActivities,
  listingActivities,
  loadingActivities,
} from '../activity-proxies';
import { checkRunInput } from '../../core/run-input';
import { defined, isJsonObject, oneLine } from '../../base';
import { type WorkflowArguments, type StartInfo, type Taken, takeStart } from '../lifecycle/start';

export const loadedDefinitionShape = stored(
  { hash: text, config: anObject<RunnerConfig>(), searchAttributes: flag },
  {
    /** The stores of the worker that loaded it. */
    stores: anything<readonly StateStoreName[]>(),
    /** The hooks of that worker. */
    hooks: anything<readonly WorkerHook[]>(),
    definition: anything<Definition>(),
  },
);

/**
 * The definition of a run, as the run knows it. The root run holds the whole definition, for its children and for workers that do not have
 * it.
 */
export type LoadedDefinition = Shape<typeof loadedDefinitionShape>;

export function takeRunStart(given: WorkflowArguments, origin: StartInfo): Taken<RunInput> {
  return takeStart(given, origin, (input, isContinued) =>
    checkRunInput(isContinued ? withoutOrigin(input) : input, origin.parent),
  );
}

/** Removes an origin that the start may not set. Only a parent may set one, and a root run for its next execution. */
function withoutOrigin(input: unknown): unknown {
  if (!isJsonObject(input)) return input;
  const { origin: _origin, ...rest } = input;
  return rest;
}

export async function resolveDefinition(input: LoadDefinitionInput): Promise<LoadedDefinition> {
  const here = await loadingActivities.loadDefinition(input);
  if (here.kind === 'needs-listing') return fromResult(await listTools(input));
  if (here.kind !== 'unknown-here') return fromResult(here);
  const elsewhere = await findElsewhere(input);
  if (elsewhere !== undefined) return fromResult(elsewhere);
  const seconds = timeouts.definitionSearch / 1_000;
  throw new LonghaulError(here.code, `${here.message} (no worker knew it for ${seconds} seconds)`);
}

function fromResult(result: LoadDefinitionResult): LoadedDefinition {
  switch (result.kind) {
    case 'found': {
      const { hash, definition, searchAttributes, stores, hooks } = result;
      const config = runnerConfig(definition, definition.runner);
      return { hash, definition, searchAttributes, config, ...defined({ stores, hooks }) };
    }
    case 'pinned':
      return result;
    case 'invalid':
      throw new LonghaulError('SpecError', result.message);
    default:
      throw new LonghaulError('InternalError', 'the definition could not be loaded');
  }
}

async function listTools(input: LoadDefinitionInput): Promise<LoadDefinitionResult> {
  try {
    return await listingActivities.findDefinition(input);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    throw new LonghaulError('ToolError', error.cause?.message ?? error.message, { cause: error });
  }
}

async function findElsewhere(
  input: LoadDefinitionInput,
): Promise<LoadDefinitionResult | undefined> {
  try {
    return await definitionActivities.findDefinition(input);
  } catch (error) {
    if (isCancellation(error) || !isUnknownEverywhere(error)) throw error;
    return undefined;
  }
}

/**
 * True if no worker knew the definition in time. Any other failure means that the definition is wrong, or that all workers have refused it.
 */
function isUnknownEverywhere(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { code, details } = childFailure(error);
  if (details?.['isRefusedByAll'] === true) return false;
  return code === undefined || code === 'AgentNotFound' || code === 'NotRegisteredHere';
}

const activities = proxyActivities<Pick<LonghaulActivities, 'openRun' | 'closeRun'>>({
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: timeouts.store,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** The session and the input, even if they did not travel with the start. */
export async function openStart(
  given: RunInput,
  loaded: LoadedDefinition,
): Promise<OpenRunResult & Pick<RunInput, 'input'>> {
  const { sessionFrom, inputFrom } = given;
  const [opened, { input }] = await Promise.all([
    sessionFrom === undefined
      ? openRunSession(given, loaded)
      : controlActivities
          .fetchSession({ workflowId: sessionFrom })
          .then((session) => ({ session })),
    inputFrom === undefined ? given : controlActivities.fetchInput(inputFrom),
  ]);
  return { ...opened, input };
}

/** The session at the start: the stores' state for the key, with the given session. Without a key or stores, only the given session. */
async function openRunSession(
  { key, session = {}, lineage, application }: RunInput,
  { stores = [], config }: LoadedDefinition,
): Promise<OpenRunResult> {
  if (key === undefined || stores.length === 0 || lineage !== undefined) return { session };
  const { sessionPrecedence } = config;
  return await activities.openRun({
    stores,
    key,
    session,
    ...defined({ application, sessionPrecedence }),
  });
}

/** Whether the completed run saves its session, and so stays open for a while. */
export function savesSession(
  { key, lineage }: Pick<RunInput, 'key' | 'lineage'>,
  { stores = [] }: LoadedDefinition,
): boolean {
  return key?.sessionId !== undefined && stores.includes('session') && lineage === undefined;
}

/** Saves the session of a completed run. Returns warnings for the result. */
export async function closeSession(
  input: RunInput,
  definition: LoadedDefinition,
  { value: session, version = '' }: Pick<RunSession, 'value' | 'version'>,
): Promise<readonly string[]> {
  const { key, application } = input;
  if (key === undefined || !savesSession(input, definition)) return [];
  try {
    // The first execution's id stays the same after continue-as-new. It also stays the same after a reset, which saves again.
    const save = { after: version, version: workflowInfo().firstExecutionRunId };
    await activities.closeRun({ key, session, save, ...defined({ application }) });
    return [];
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const reason = oneLine(error.cause?.message ?? error.message, limits.failureMessage);
    return [`the session was not saved: ${reason}`];
  }
}
