import type { JsonSchema } from '../base/json';
import { expectedKeyword } from '../base/check-shape';
import { deepFreeze } from '../base/plain-json';
import { members, object, orchestration, runnerRef } from './schema-parts';

/** The JSON Schema of `SequentialSpec`. */
export const sequentialSpecSchema: JsonSchema = deepFreeze(
  object(
    {
      kind: { const: 'sequential' },
      ...orchestration,
      steps: members(runnerRef, 'runners'),
      passOutput: {
        enum: [true, false, 'combined'],
        [expectedKeyword]: "true, false or 'combined'",
      },
    },
    ['kind', 'id', 'steps'],
  ),
);
