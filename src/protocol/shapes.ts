// Shapes of data that travels or is stored, each declared once. A shape is a JSON Schema that `base/check-shape` checks. The compiler
// infers the type of the values from it. A comment on a member of a shape is also a comment on the member of the type.

import { defined, type JsonObject, type Schema } from '../base';

/** A schema with the type of the values that fit it. No schema has the member `~value`. */
export type Shaped<Value> = Schema & { readonly '~value'?: Value };

/** The type of the values that fit an object's shape: `type Vote = Shape<typeof voteShape>`. */
export type Shape<Of> = { readonly [Name in keyof ValueOf<Of>]: ValueOf<Of>[Name] };

/** The type of the values that fit any shape. */
export type ValueOf<Of> = Of extends Shaped<infer Value> ? Value : never;

type Members = { readonly [name: string]: Schema };
export type NoMembers = Record<never, Schema>;

/** `properties` has the shape of each member. */
export type ObjectShape<Required extends Members, Optional extends Members> = Shaped<
  Merged<
    { [Name in keyof Required]: ValueOf<Required[Name]> } & {
      [Name in keyof Optional]?: ValueOf<Optional[Name]>;
    }
  >
> & { readonly properties: Required & Optional };

type Merged<Value> = { readonly [Name in keyof Value]: Value[Name] };

export const text: Shaped<string> = { type: 'string' };
export const filledText: Shaped<string> = { type: 'string', minLength: 1 };
/** 1 to 200 characters without control characters: an id or a name that people choose. */
export const shortText = textLike('^[^\\p{Cc}]{1,200}$');
export const number: Shaped<number> = { type: 'number' };
export const amount: Shaped<number> = { type: 'number', minimum: 0 };
export const count: Shaped<number> = { type: 'integer', minimum: 0 };
/** Counts from 1. */
export const ordinal: Shaped<number> = { type: 'integer', minimum: 1 };
export const flag: Shaped<boolean> = { type: 'boolean' };
/** For a member that is absent unless it is true. */
export const isTrue: Shaped<true> = { const: true };
export const texts = listOf(text);
export const jsonObject = anObject<JsonObject>();

/** A value that is not checked here. */
export function anything<Value>(): Shaped<Value> {
  return {};
}

/** An object. Its members are not checked here. */
export function anObject<Value extends object>(): Shaped<Value> {
  return { type: 'object' };
}

/** A list. Its items are not checked here. */
export function aList<Item>(): Shaped<readonly Item[]> {
  return { type: 'array' };
}

/** A value of a type that the shape checks only in part. */
export function partly<Value>(shape: Schema): Shaped<Value> {
  return shape;
}

export function textLike(pattern: string): Shaped<string> {
  return { type: 'string', pattern };
}

export function listOf<Item>(items: Shaped<Item>, maxItems?: number): Shaped<readonly Item[]> {
  return { type: 'array', items, ...defined({ maxItems }) };
}

export function oneOf<Choice extends string>(...choices: readonly Choice[]): Shaped<Choice> {
  return { type: 'string', enum: [...choices] };
}

/** An object with these members and no others. */
export function objectOf<Required extends Members, Optional extends Members = NoMembers>(
  required: Required,
  optional?: Optional,
): ObjectShape<Required, Optional> {
  return {
    type: 'object',
    properties: { ...required, ...optional } as Required & Optional,
    required: Object.keys(required),
    additionalProperties: false,
  };
}

/** A stored object. This version ignores members that it does not know. */
export function stored<Required extends Members, Optional extends Members = NoMembers>(
  required: Required,
  optional?: Optional,
): ObjectShape<Required, Optional> {
  return { ...objectOf(required, optional), additionalProperties: true };
}
