import { z } from 'zod';
import {
  defined,
  describeValue,
  formatPath,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  parseDuration,
  type Problem,
  quote,
} from '../../base';
import { idPatterns } from '../../protocol/names';
import { rule } from '../problems/from-zod';

// The parts of the schemas of definitions. `expected` completes "must be …"; `help` is for editors and the docs.

/** Data that is read-only at every depth. */
export type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? string extends keyof Value
      ? Value
      : { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value;

type Help = {
  /** The meaning of an absent field. */
  readonly byDefault?: string;
  /** The page of the docs with more about it, and the section. */
  readonly see?: string;
};

/** What a field means, once for editors and for the tables of the docs: what is code stands in backticks. After a change run `npm run docs`. */
export function help(description: string, { byDefault, see }: Help = {}) {
  return defined({ description, byDefault, see });
}

/** The discriminator of a union. */
export function kind<Name extends string>(name: Name, description: string, see?: string) {
  return z.literal(name).meta(help(description, see === undefined ? {} : { see }));
}

export const text = z.string();
export const fullText = z.string().min(1);
export const flag = z.boolean();

export function count(minimum: number, maximum?: number) {
  return maximum === undefined ? z.int().min(minimum) : z.int().min(minimum).max(maximum);
}

export function list<Item extends z.ZodType>(item: Item, most: number) {
  return z.array(item).max(most);
}

/** A list in which each item is different. */
export function distinct<Item extends z.ZodType>(item: Item, most: number) {
  return list(item, most).superRefine(rule(repeated));
}

function repeated(items: readonly unknown[]): Problem[] {
  return items.flatMap((item, index) => {
    if (items.indexOf(item) === index) return [];
    const message = `lists ${describeValue(item)} a second time`;
    return [{ path: formatPath([index]), message }];
  });
}

/** A value that was made elsewhere, such as a function or a definition. */
export function made<Value>(check: (value: unknown) => boolean, expected: string) {
  return z.custom<Value>(check).meta({ expected });
}

export function aFunction<Value extends (...args: never[]) => unknown>() {
  return made<Value>((value) => typeof value === 'function', 'a function');
}

/** A text that is not blank. */
export function nonBlank(expected: string) {
  return z.string().regex(/\S/).meta({ expected });
}

/** Checks that each name occurs once in the list. Items without a name are not checked. */
export function eachNameOnce(names: readonly (string | undefined)[], list: string): Problem[] {
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (name === undefined || first === index) return [];
    const message = `has the name ${quote(name)}, which ${list}[${first}] already has`;
    return [{ path: formatPath([index]), message }];
  });
}

export const jsonObject = z.looseObject({}) as unknown as z.ZodType<JsonObject>;
export const jsonSchema = z
  .custom<JsonSchema>(isJsonObject)
  .meta({ expected: 'a JSON Schema object', freeForm: true });

const runnerIdRule = "1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit";
export const runnerId = z.string().regex(idPatterns.agent).meta({ expected: runnerIdRule });

/** `__proto__` would be lost as a key of an object. */
export const toolName = z
  .string()
  .regex(new RegExp(`^(?!__proto__$)${idPatterns.tool.source.slice(1)}`))
  .meta({ expected: "1 to 64 letters, digits, '_' or '-'" });

export const mcpServerRule =
  "1 to 32 letters, digits, '_' or '-', starting and ending with a letter or digit";

/** Short, because the names of its tools follow it. */
export const mcpServerName = z
  .string()
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,30}[A-Za-z0-9])?$/)
  .meta({ expected: mcpServerRule });

const reservedKeys = ['__proto__', 'constructor', 'prototype'];

const sessionKey = z
  .string()
  .min(1)
  .max(200)
  .meta({ expected: 'a session key of 1 to 200 characters' })
  .superRefine(
    rule((key) =>
      key.startsWith('__') || reservedKeys.includes(key)
        ? [{ path: '', message: `must not be ${quote(key)}: that key is reserved` }]
        : [],
    ),
  );

/** Keys of the session that code reads and changes. */
export const sessionKeys = distinct(sessionKey, 100).meta({ expected: 'an array of session keys' });

const modelRule = "'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}";
const modelParts = z.strictObject({
  provider: runnerId.meta(help('The name of a provider of the worker')),
  model: z
    .string()
    .regex(/^\S{1,200}$/)
    .meta({
      expected: 'a model name without spaces',
      ...help("The provider's own name of the model"),
    }),
});

/** `'provider/model'`: everything behind the first slash is the provider's own name of the model. */
const modelText = z
  .string()
  .regex(/^[^/]+\/.+$/s)
  .transform((written) => {
    const slash = written.indexOf('/');
    return { provider: written.slice(0, slash), model: written.slice(slash + 1) };
  })
  .pipe(modelParts);

export const model = z.union([modelText, modelParts]).meta({ expected: modelRule });

/** The same for files, in which other fields may name the provider: editors take any text. */
export const modelInFile = z
  .union([fullText.pipe(modelText), modelParts])
  .meta({ expected: modelRule });

export const budget = z
  .strictObject({
    /** Tokens, of input and output together. */
    maxTokens: count(1).meta(help('Tokens of input and output together')).exactOptional(),
    maxCostUsd: z.number().positive().meta(help('Dollars')).exactOptional(),
    /** Default `ask`. */
    onExceeded: z
      .enum(['ask', 'fail'])
      .meta(
        help('When it is used up: `ask` a person for more, or `fail` the run', {
          byDefault: '`ask`',
        }),
      )
      .exactOptional(),
  })
  .superRefine(
    rule(({ maxTokens, maxCostUsd }) =>
      maxTokens === undefined && maxCostUsd === undefined
        ? [{ path: '', message: 'must have maxTokens, maxCostUsd or both' }]
        : [],
    ),
  );

/** `'90s'`, `'3 days'` or milliseconds; milliseconds in the spec. */
export const duration = z
  .union([z.string(), z.number()])
  .meta({ expected: "a duration such as '90s', '15 minutes' or '3 days', or milliseconds" })
  .transform((value, context) => {
    const parsed = parseDuration(value);
    if (parsed.ok) return parsed.ms;
    context.addIssue({ code: 'custom', message: parsed.message, input: value });
    return z.NEVER;
  });

const sizeUnits: Readonly<Record<string, number>> = { b: 1, bytes: 1, kib: 2 ** 10, mib: 2 ** 20 };

/** `'4 KiB'`, `'512 bytes'` or a number of bytes; bytes in the spec. */
export function size(minimum: number) {
  return z
    .union([z.int(), z.string()])
    .meta({ expected: "a size such as '4 KiB' or '1 MiB', or a whole number of bytes" })
    .transform((value, context) => {
      const [, digits, unit = ''] = /^(\d{1,9}) ?([a-z]+)$/i.exec(String(value)) ?? [];
      const factor = sizeUnits[unit.toLowerCase()];
      const bytes = typeof value === 'number' ? value : Number(digits) * (factor ?? NaN);
      if (bytes >= minimum) return bytes;
      const message = Number.isNaN(bytes)
        ? `must be a size such as '4 KiB' or '1 MiB', or a whole number of bytes, not ${describeValue(value)}`
        : `must be at least ${minimum} bytes, not ${describeValue(value)}`;
      context.addIssue({ code: 'custom', message, input: value });
      return z.NEVER;
    });
}

/** Refuses a common mistake in place of an object with a special message, before the object is checked. */
export function unless<Output, Input>(
  isMistake: (value: unknown) => boolean,
  error: string,
  inside: z.ZodType<Output, Input>,
) {
  return z.custom<Input>((value) => !isMistake(value), { error }).pipe(inside);
}
