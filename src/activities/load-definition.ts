// Makes the definition a run pins: the closure of its runner as this worker's registry knows it.

import { LonghaulError } from '../protocol/errors';
import { limits } from '../protocol/limits';
import type { LoadDefinitionInput, LoadDefinitionResult } from '../protocol/activities';
import { hashDefinition } from '../spec/definition-hash';
import type { ActivityDependencies } from './dependencies';

/** Looks in this worker's registry only: it runs as a local activity, which must never wait for a query. */
export async function loadDefinition(
  dependencies: ActivityDependencies,
  input: LoadDefinitionInput,
): Promise<LoadDefinitionResult> {
  try {
    const definition = dependencies.registry.definition(input.runner);
    const hash = hashDefinition(definition);
    dependencies.definitions.put(hash.slice(0, limits.hashLength), definition);
    return {
      kind: 'found',
      hash,
      definition,
      searchAttributes: await dependencies.hasSearchAttributes(),
    };
  } catch (error) {
    if (!LonghaulError.is(error)) throw error;
    if (error.code === 'AgentNotFound')
      return { kind: 'unknown-here', code: error.code, message: error.message };
    if (lacksCode(error))
      return { kind: 'unknown-here', code: 'NotRegisteredHere', message: error.message };
    return { kind: 'invalid', message: error.message };
  }
}

/** The spec is right, but names code this worker does not have: another one of a rolling deploy may. */
function lacksCode({ details }: LonghaulError): boolean {
  return details['missingTool'] !== undefined || details['missingCriterion'] !== undefined;
}

/** As `loadDefinition`, retried over the workers of the queue until one knows the runner. */
export async function findDefinition(
  dependencies: ActivityDependencies,
  input: LoadDefinitionInput,
): Promise<LoadDefinitionResult> {
  const result = await loadDefinition(dependencies, input);
  if (result.kind === 'unknown-here')
    throw new LonghaulError(result.code, result.message, { retryable: true });
  return result;
}
