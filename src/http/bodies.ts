// The shapes of what requests may say. The description of a member is also its error.

import type { JsonSchema } from '../base/json';

const filled = '[^\\s]';

const text: JsonSchema = { type: 'string', pattern: filled };

const inputParts: readonly JsonSchema[] = [
  members({ type: { const: 'text' }, text: { type: 'string' } }),
  members({
    type: { const: 'media' },
    mediaType: { type: 'string' },
    source: members({ kind: { const: 'base64' }, data: { type: 'string' } }),
  }),
];

/** New text of a person, perhaps with media. A request names no URL, no file of the provider and no content of another run. */
export const userInput: JsonSchema = {
  description:
    'a text that is not empty, or a list of parts: {type: "text", text} and {type: "media", mediaType, source}, with a source {kind: "base64", data}',
  anyOf: [text, { type: 'array', minItems: 1, items: { anyOf: [...inputParts] } }],
};

export const messageText: JsonSchema = { ...text, description: 'a text that is not empty' };

export const id: JsonSchema = {
  type: 'string',
  pattern: '^[^\\p{Cc}]{1,200}$',
  description: 'a text of 1 to 200 characters',
};

export const reason: JsonSchema = { ...text, description: 'the reason, a text that is not empty' };

export const anyJson = (what: string): JsonSchema => ({ description: `${what}: any JSON` });

export const object = (what: string): JsonSchema => ({
  type: 'object',
  description: `${what}: a JSON object`,
});

/** What is in them, their definition checks. */
export const clientTools: JsonSchema = {
  type: 'array',
  items: { type: 'object' },
  description:
    'a list of tools of the client: {name, description, inputSchema, resultSchema?, resultTimeout?}',
};

export function oneOf(...choices: readonly string[]): JsonSchema {
  return { type: 'string', enum: [...choices], description: `one of ${choices.join(', ')}` };
}

export function wholeNumber(minimum: number, maximum: number): JsonSchema {
  return {
    type: 'integer',
    minimum,
    maximum,
    description: `a whole number from ${minimum} to ${maximum}`,
  };
}

/** All members are required, and there are no others. */
function members(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
