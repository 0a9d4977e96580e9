import type { JsonSchema } from '../base/json';
import { deepFreeze } from '../base/plain-json';
import { count, members, object, orchestration, runnerRef } from './schema-parts';

/** The JSON Schema of `ParallelSpec`. */
export const parallelSpecSchema: JsonSchema = deepFreeze(
  object(
    {
      kind: { const: 'parallel' },
      ...orchestration,
      branches: members(runnerRef, 'runners'),
      merge: { enum: ['collect_all', 'first'] },
      cancelRest: { type: 'boolean' },
      concurrency: count(1),
    },
    ['kind', 'id', 'branches'],
  ),
);
