import type { JsonSchema } from '../base/json';
import { deepFreeze } from '../base/plain-json';
import {
  count,
  fullText,
  id,
  list,
  members,
  object,
  orchestration,
  runnerRef,
} from './schema-parts';

const task = object(
  {
    id,
    runner: runnerRef,
    dependencies: { ...list(id, 1000), uniqueItems: true },
    prompt: fullText,
    maxRetries: count(0),
  },
  ['id', 'runner'],
);

/** The JSON Schema of `GraphSpec`. */
export const graphSpecSchema: JsonSchema = deepFreeze(
  object(
    {
      kind: { const: 'graph' },
      ...orchestration,
      tasks: members(task, 'tasks'),
      params: { ...list(fullText, 1000), uniqueItems: true },
    },
    ['kind', 'id', 'tasks'],
  ),
);
