import type { ModelRequest } from '../provider';
import { isStrictSchema } from './strict-schema';

type NamedSchema = { name: string; schema: Record<string, unknown>; strict: boolean };

/** The API takes names of at most 64 letters, digits, `_` and `-`. */
export function namedSchema(output: NonNullable<ModelRequest['output']>): NamedSchema {
  const name = output.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  return {
    name: name === '' ? 'output' : name,
    schema: output.schema,
    strict: isStrictSchema(output.schema),
  };
}
