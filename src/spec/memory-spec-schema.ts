import type { JsonSchema } from '../base/json';
import { expectedKeyword } from '../base/check-shape';
import { count, id, model, object } from './schema-parts';

const compact = object(
  {
    contextTokens: count(1000),
    at: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
      [expectedKeyword]: 'a number above 0 and at most 1',
    },
    keepTurns: count(0),
    model,
  },
  ['contextTokens'],
);

/** The JSON Schema of `MemorySpec`. That `turns` stands with `windowed`, and only there, is checked by `memoryProblems`, too. */
export const memorySchema: JsonSchema = {
  ...object({ kind: { enum: ['full', 'windowed'] }, turns: count(0), store: id, compact }, [
    'kind',
  ]),
  if: { properties: { kind: { const: 'windowed' } } },
  then: { required: ['turns'] },
  else: { properties: { turns: false } },
};
