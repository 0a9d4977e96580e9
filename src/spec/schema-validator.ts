import { createRequire } from 'node:module';
import type { Ajv, Options } from 'ajv';
import type { FormatsPlugin } from 'ajv-formats';
import { testBounded, toRegExp } from './pattern/bounded-pattern';

export type Draft = '2020-12' | '07';

const metaSchemas: Readonly<Record<Draft, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '07': 'http://json-schema.org/draft-07/schema',
};

const load = createRequire(__filename);
const metaValidators = new Map<Draft, Ajv>();

const regExp = Object.assign(
  (pattern: string) => {
    const expression = toRegExp(pattern);
    const test = (text: string) => testBounded(expression, text);
    // The validator tells patterns apart by their text.
    return { test, toString: () => expression.toString() };
  },
  { code: 'new RegExp' },
);

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  code: { regExp },
};

/** Compiles one schema. A validator keeps what it has seen and refuses a second `$id`, so that schemas of users never share one. */
export function createValidator(draft: Draft): Ajv {
  const validator = construct(draft, { ...options, meta: false, validateSchema: false });
  const { default: addFormats } = load('ajv-formats') as { readonly default: FormatsPlugin };
  return addFormats(validator);
}

/** What is wrong with a schema as a schema. */
export function metaErrors(schema: object, draft: Draft): NonNullable<Ajv['errors']> {
  const validator = metaValidators.get(draft) ?? construct(draft, options);
  metaValidators.set(draft, validator);
  return validator.validate(metaSchemas[draft], schema) ? [] : (validator.errors ?? []);
}

/** Loaded when the first schema is compiled: programs without JSON Schema of their own never pay for it. */
function construct(draft: Draft, settings: Options): Ajv {
  if (draft === '07') {
    const { Ajv: Draft07 } = load('ajv') as { readonly Ajv: typeof Ajv };
    return new Draft07(settings);
  }
  const { Ajv2020 } = load('ajv/dist/2020') as { readonly Ajv2020: typeof Ajv };
  return new Ajv2020(settings);
}
