import type { Json, JsonObject } from '../../base/json';
import type { Path } from '../../base/problem';

/** The message is made when somebody reads it. */
export type Found = { readonly path: Path; readonly message: () => string };

/** A check in progress, as the rules of keywords use it. */
export interface Check {
  at(schema: Json | undefined, value: Json, path: Path): readonly Found[];
  /** Throws when the steps are used up. */
  readonly spend: (steps: number) => void;
  /** A text costs what looking at it costs. */
  spendOn(text: string): void;
  pointedAt(pointer: string): Json | undefined;
  matches(source: string, text: string): boolean;
  isSame(left: Json, right: Json): boolean;
}

export type At = {
  readonly check: Check;
  readonly schema: JsonObject;
  readonly value: Json;
  readonly path: Path;
};

/** What a keyword finds wrong. */
export type Rule = (constraint: Json, at: At) => readonly Found[];
export type Rules = { readonly [keyword: string]: Rule };
