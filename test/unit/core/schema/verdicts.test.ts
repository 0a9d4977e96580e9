// Pure: no server. What ajv 8.20 with ajv-formats 3.0 found about 500 schemas: hand-written ones, the tools of two MCP servers, and many
// that fast-check made up. Where the table says something else on purpose, `unlikeAjv` says why.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, JsonSchema } from '../../../../src/base/json';
import { checkAgainst, forTools } from '../../../../src/core/schema/check-schema';
import { toolSchemaProblems } from '../../../../src/core/schema/schema-problem';

type Verdicts = { readonly schema: JsonSchema; readonly fits: Json[]; readonly breaks: Json[] };

const file = join(__dirname, '../../../fixtures/schemas/verdicts.json');
const table = JSON.parse(readFileSync(file, 'utf8')) as Verdicts[];

const fits = (schema: JsonSchema, value: Json): boolean =>
  checkAgainst(schema, value, forTools).length === 0;

it.each(
  table.map((verdicts) => [JSON.stringify(verdicts.schema).slice(0, 120), verdicts] as const),
)('%s', (_name, { schema, ...verdicts }) => {
  expect(toolSchemaProblems(schema)).toEqual([]);
  expect({
    refused: verdicts.fits.filter((value) => !fits(schema, value)),
    taken: verdicts.breaks.filter((value) => fits(schema, value)),
  }).toEqual({ refused: [], taken: [] });
});
