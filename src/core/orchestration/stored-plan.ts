// The stored form of a plan: its state as plain JSON, with the format and the kind. Pure.

import { LonghaulError } from '../../protocol/errors';
import { requireFormat, requireShape } from '../stored-format';
import { isJsonObject, type JsonObject, plainJson } from '../../base';
import type { OrchestrationConfig } from '../../protocol/activities';
import type { Shaped } from '../../protocol/shapes';

const format = 1;

export function storePlan(kind: OrchestrationConfig['kind'], state: object): JsonObject {
  return plainJson({ format, kind, ...state });
}

/**
 * Reads the state of a plan of this kind. Throws `StateError` if a newer version or another kind of plan stored it, or if it has not the
 * shape.
 */
export function readPlan<State extends object>(
  kind: OrchestrationConfig['kind'],
  json: unknown,
  shape: Shaped<State>,
): State {
  if (!isJsonObject(json))
    throw new LonghaulError('StateError', 'The stored plan is not a JSON object.');
  const { format: storedFormat, kind: storedKind, ...state } = json;
  requireFormat('The stored plan', storedFormat, format);
  if (storedKind !== kind) {
    const found = JSON.stringify(storedKind);
    throw new LonghaulError(
      'StateError',
      `The stored plan is of kind ${found}; the runner is a ${kind}.`,
    );
  }
  requireShape('The stored plan', shape, state);
  return plainJson(state) as unknown as State;
}
