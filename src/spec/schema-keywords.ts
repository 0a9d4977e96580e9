// Keywords that the validator checks by comparing each value with each: here they take time in proportion to what is compared.

import type { ErrorObject, FuncKeywordDefinition } from 'ajv';
import type { DataValidateFunction } from 'ajv/dist/types';
import { canonicalJson } from '../base/canonical-json';

type Fault = Pick<ErrorObject, 'keyword' | 'params'>;

/** A keyword whose check gives the fault it finds. */
function keyword(
  name: string,
  compile: (schema: unknown) => ((data: unknown) => Fault['params'] | undefined) | undefined,
): FuncKeywordDefinition {
  return {
    keyword: name,
    compile: (schema: unknown) => {
      const faultOf = compile(schema);
      const validate: DataValidateFunction = (data: unknown) => {
        const params = faultOf?.(data);
        validate.errors = params === undefined ? [] : [{ keyword: name, params }];
        return params === undefined;
      };
      return validate;
    },
  };
}

const uniqueItems = keyword('uniqueItems', (isOn) => (isOn === true ? firstTwins : undefined));

function firstTwins(data: unknown): Fault['params'] | undefined {
  if (!Array.isArray(data)) return undefined;
  const seen = new Map<string, number>();
  for (const [position, item] of data.entries()) {
    const key = canonicalJson(item);
    const earlier = seen.get(key);
    if (earlier !== undefined) return { i: position, j: earlier };
    seen.set(key, position);
  }
  return undefined;
}

const oneOfValues = keyword('enum', (allowedValues) => {
  const values = allowedValues as readonly unknown[];
  const allowed = new Set(values.map(canonicalJson));
  const hasObjects = values.some(isObject);
  return (data) => {
    const isAllowed = (hasObjects || !isObject(data)) && allowed.has(canonicalJson(data));
    return isAllowed ? undefined : { allowedValues };
  };
});

export const linearKeywords: readonly FuncKeywordDefinition[] = [uniqueItems, oneOfValues];

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
