import { createRequire } from 'node:module';
import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { FormatsPlugin } from 'ajv-formats';
import { toRegExp } from './pattern/to-reg-exp';
import { linearKeywords } from './schema-keywords';
import { withinTime } from './within-time';

export type Draft = '2020-12' | '07';

type Modules = { readonly Validator: typeof Ajv; readonly addFormats: FormatsPlugin };

const metaSchemas: Readonly<Record<Draft, string>> = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  '07': 'http://json-schema.org/draft-07/schema',
};

/** Six times what the largest schema takes on a quiet machine of today. Nothing else runs meanwhile. */
const mostMilliseconds = 3_000;

const load = createRequire(__filename);
const metaValidators = new Map<Draft, ValidateFunction>();

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  // What others refer to is compiled once, and as it stands: that is three times as fast.
  inlineRefs: false,
  code: { regExp: Object.assign(toRegExp, { code: 'new RegExp' }), optimize: false },
};

/** Compiles one schema. A validator keeps what it has seen and refuses a second `$id`, so that schemas of users never share one. */
export function createValidate(schema: object, draft: Draft): ValidateFunction {
  const modules = modulesFor(draft);
  return withinTime(mostMilliseconds, () => construct(modules).compile(schema));
}

/** What is wrong with a schema as a schema. */
export function metaErrors(schema: object, draft: Draft): NonNullable<ValidateFunction['errors']> {
  const validate = metaValidators.get(draft) ?? metaValidator(draft);
  metaValidators.set(draft, validate);
  return withinTime(mostMilliseconds, () => validate(schema)) ? [] : (validate.errors ?? []);
}

function metaValidator(draft: Draft): ValidateFunction {
  const validate = new (modulesFor(draft).Validator)(options).getSchema(metaSchemas[draft]);
  if (validate === undefined) throw new TypeError(`the validator does not know draft ${draft}`);
  return validate;
}

function construct({ Validator, addFormats }: Modules): Ajv {
  const validator = new Validator({ ...options, meta: false, validateSchema: false });
  for (const definition of linearKeywords) {
    validator.removeKeyword(definition.keyword as string).addKeyword(definition);
  }
  return addFormats(validator);
}

/** Loaded when the first schema is compiled: programs without JSON Schema of their own never pay for it. */
function modulesFor(draft: Draft): Modules {
  const { default: addFormats } = load('ajv-formats') as { readonly default: FormatsPlugin };
  if (draft === '07') {
    const { Ajv: Validator } = load('ajv') as { readonly Ajv: typeof Ajv };
    return { Validator, addFormats };
  }
  const { Ajv2020 } = load('ajv/dist/2020') as { readonly Ajv2020: typeof Ajv };
  return { Validator: Ajv2020, addFormats };
}
