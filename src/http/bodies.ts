// The shapes of requests' bodies. The description of a member is also its error.

import type { ClientToolOptions } from '../client/index';
import type { Json, JsonObject } from '../base';
import {
  anObject,
  jsonObject,
  listOf,
  objectOf,
  oneOf as oneOfThese,
  partly,
  type Shaped,
  shortText,
  text as anyText,
  textLike,
  type UserInput,
} from '../protocol';

const text = textLike('[^\\s]');

const inputParts = [
  objectOf({ type: { const: 'text' }, text: anyText }),
  objectOf({
    type: { const: 'media' },
    mediaType: anyText,
    source: objectOf({ kind: { const: 'base64' }, data: anyText }),
  }),
];

/** New text of a person, perhaps with media. A request names no URL, no file of the provider and no content of another run. */
export const userInput = partly<UserInput>({
  description:
    'a text that is not empty, or a list of parts: {type: "text", text} and {type: "media", mediaType, source}, with a source {kind: "base64", data}',
  anyOf: [text, { type: 'array', minItems: 1, items: { anyOf: inputParts } }],
});

export const messageText = described(text, 'a text that is not empty');

export const id = described(shortText, 'a text of 1 to 200 characters');

export const reason = described(text, 'the reason, a text that is not empty');

export const anyJson = (what: string): Shaped<Json> => ({ description: `${what}: any JSON` });

export const object = (what: string): Shaped<JsonObject> =>
  described(jsonObject, `${what}: a JSON object`);

/** The definition checks the members of each tool. */
export const clientTools = described(
  listOf(anObject<ClientToolOptions>()),
  'a list of tools of the client: {name, description, inputSchema, resultSchema?, resultTimeout?}',
);

export function oneOf<Choice extends string>(...choices: readonly Choice[]): Shaped<Choice> {
  return described(oneOfThese(...choices), `one of ${choices.join(', ')}`);
}

export function wholeNumber(minimum: number, maximum: number): Shaped<number> {
  const description = `a whole number from ${minimum} to ${maximum}`;
  return { type: 'integer', minimum, maximum, description };
}

/** The description is what the value must be. It is also the text of the error. */
export function described<Value>(shape: Shaped<Value>, description: string): Shaped<Value> {
  return { ...shape, description };
}
