// Pure: no server. What ajv 8.20 with ajv-formats 3.0 found about 500 schemas: hand-written ones, the tools of two MCP servers, and many
// that fast-check made up.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonSchema } from '../../../../src/base/json';
import { tryCompileSchema } from '../../../../src/define/arguments/compile';

type Verdicts = { readonly schema: JsonSchema; readonly fits: Json[]; readonly breaks: Json[] };

const file = join(__dirname, '../../../fixtures/schemas/verdicts.json');
const table = JSON.parse(readFileSync(file, 'utf8')) as Verdicts[];

it.each(
  table.map((verdicts) => [JSON.stringify(verdicts.schema).slice(0, 120), verdicts] as const),
)('%s', (_name, { schema, fits, breaks }) => {
  const compiled = tryCompileSchema(schema);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const { check } = compiled;
  expect(fits.filter((value) => check(value).length > 0)).toEqual([]);
  expect(breaks.filter((value) => check(value).length === 0)).toEqual([]);
});
