// What a run pins when it starts: the closure of its runner, recorded whole once, so that a redeploy never changes a running one.

import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import { runnerConfig } from '../../core/runner-config';
import type {
  LoadDefinitionInput,
  LoadDefinitionResult,
  RunnerConfig,
  StateStoreName,
} from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import type { Definition } from '../../protocol/spec';
import { timeouts } from '../../protocol/limits';
import { failureCode } from '../children/child-failure';
import { definitionActivities, listingActivities, loadingActivities } from '../activity-proxies';

/** What a run knows of its definition. The root run holds it whole, for its children and for workers that never saw it. */
export type LoadedDefinition = {
  readonly hash: string;
  readonly config: RunnerConfig;
  readonly searchAttributes: boolean;
  /** The stores of the worker that loaded it. */
  readonly stores?: readonly StateStoreName[];
  readonly definition?: Definition;
};

export async function loadDefinition(input: LoadDefinitionInput): Promise<LoadedDefinition> {
  const here = await loadingActivities.loadDefinition(input);
  if (here.kind === 'needs-listing') return loaded(await listTools(input));
  if (here.kind !== 'unknown-here') return loaded(here);
  const elsewhere = await findElsewhere(input);
  if (elsewhere !== undefined) return loaded(elsewhere);
  const seconds = timeouts.definitionSearch / 1_000;
  throw new LonghaulError(here.code, `${here.message} (no worker knew it for ${seconds} seconds)`);
}

function loaded(result: LoadDefinitionResult): LoadedDefinition {
  switch (result.kind) {
    case 'found': {
      const { hash, definition, searchAttributes, stores } = result;
      const config = runnerConfig(definition, definition.runner);
      return { hash, definition, searchAttributes, config, ...(stores && { stores }) };
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
    if (isCancellation(error) || !isSearchSpent(error)) throw error;
    return undefined;
  }
}

/** Nobody knew it in time; any other failure is about the definition itself. */
function isSearchSpent(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const code = failureCode(error);
  return code === undefined || code === 'AgentNotFound' || code === 'NotRegisteredHere';
}
