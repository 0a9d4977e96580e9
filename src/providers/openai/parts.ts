import { type Media, ProviderError, type ToolCallPart } from '../../protocol';
import type { ModelRequest } from '../provider';
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../base';
import type { ToolArguments } from '../wire';
import { unreadContent } from '../stored-content';

const deepest = 10;

const keywords = new Set([
  ...[
    '$schema',
    '$id',
    '$ref',
    '$defs',
    'definitions',
    'title',
    'description',
    'type',
    'enum',
    'const',
  ],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'anyOf'],
  ...[
    'pattern',
    'format',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
  ],
]);

const formats = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
]);

export function isImage(media: Media): boolean {
  return media.mediaType.startsWith('image/');
}

/** The URL of media, also of inline media; undefined for an id of the provider's file store. */
export function mediaUrl({ mediaType, source }: Media): string | undefined {
  switch (source.kind) {
    case 'url':
      return source.url;
    case 'base64':
      return `data:${mediaType};base64,${source.data}`;
    case 'ref':
      return undefined;
    case 'stored':
      return unreadContent();
  }
}

/** Inline files need a name. The API reads only its extension. */
export function fileName({ mediaType }: Media): string {
  const subtype = mediaType.split(/[/;]/)[1] ?? '';
  return `file.${/^[\w-]+$/.test(subtype) ? subtype : 'bin'}`;
}

export function unsupportedMedia(api: string, media: Media): ProviderError {
  const how = { url: 'by URL', base64: 'inline', ref: 'by file id', stored: 'inline' }[
    media.source.kind
  ];
  return new ProviderError('rejected', `${api} does not take ${media.mediaType} ${how}.`);
}

type NamedSchema = { name: string; schema: Record<string, unknown>; strict: boolean };

/** The API takes names of at most 64 letters, digits, `_` and `-`. */
export function namedSchema(output: NonNullable<ModelRequest['output']>): NamedSchema {
  const name = output.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
  return {
    name: name === '' ? 'output' : name,
    schema: output.schema,
    strict: isStrictSchema(output.schema),
  };
}

type Choice<Named, Several> = { tool_choice?: 'auto' | 'none' | 'required' | Named | Several };

type ResponsesToolChoice = Choice<
  { type: 'function'; name: string },
  { type: 'allowed_tools'; mode: 'required'; tools: { type: 'function'; name: string }[] }
>;

type ChatToolChoice = Choice<
  { type: 'function'; function: { name: string } },
  {
    type: 'allowed_tools';
    allowed_tools: { mode: 'required'; tools: { type: 'function'; function: { name: string } }[] };
  }
>;

/** The tools stay the same for every choice, to keep the cached prefix. */
export function toResponsesToolChoice({ tools, toolChoice }: ModelRequest): ResponsesToolChoice {
  if (tools.length === 0) return {};
  if (typeof toolChoice === 'string') return { tool_choice: toolChoice };
  const named = toolChoice.only.map((name) => ({ type: 'function' as const, name }));
  const [first] = named;
  if (first === undefined) return { tool_choice: 'none' };
  if (named.length === 1) return { tool_choice: first };
  return { tool_choice: { type: 'allowed_tools', mode: 'required', tools: named } };
}

/** Compatible servers do not know `allowed_tools`: see `offeredTools`. */
export function toChatToolChoice(request: ModelRequest, ownHost: boolean): ChatToolChoice {
  const { tools, toolChoice } = request;
  if (tools.length === 0) return {};
  if (typeof toolChoice === 'string') return { tool_choice: toolChoice };
  const named = toolChoice.only.map((name) => ({ type: 'function' as const, function: { name } }));
  const [first] = named;
  if (first === undefined) return { tool_choice: 'none' };
  if (named.length === 1) return { tool_choice: first };
  if (!ownHost) return { tool_choice: 'required' };
  return {
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: named } },
  };
}

/** The tools to send. A server that cannot restrict the choice gets only the allowed ones. */
export function offeredTools(
  { tools, toolChoice }: ModelRequest,
  ownHost: boolean,
): ModelRequest['tools'] {
  if (ownHost || typeof toolChoice === 'string' || toolChoice.only.length < 2) return tools;
  return tools.filter((tool) => toolChoice.only.includes(tool.name));
}

/**
 * Whether OpenAI takes this schema in strict mode unchanged: every object is closed, all its properties are required, and it has no unknown
 * keyword. We never rewrite a schema: any other one goes without strict.
 */
export function isStrictSchema(schema: JsonSchema): boolean {
  return schema['type'] === 'object' && schema['anyOf'] === undefined && isStrict(schema, 0);
}

function isStrict(schema: Json | undefined, depth: number): boolean {
  if (!isJsonObject(schema) || depth > deepest) return false;
  if (Object.keys(schema).some((keyword) => !keywords.has(keyword))) return false;
  if (typeof schema['format'] === 'string' && !formats.has(schema['format'])) return false;
  return isClosed(schema) && nestedSchemas(schema).every((nested) => isStrict(nested, depth + 1));
}

function isClosed(schema: JsonSchema): boolean {
  const { type, properties, required, additionalProperties } = schema;
  const isObjectSchema = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isObjectSchema && properties === undefined) return true;
  if (additionalProperties !== false || !isJsonObject(properties)) return false;
  const listed = new Set(Array.isArray(required) ? required : []);
  return Object.keys(properties).every((name) => listed.has(name));
}

function nestedSchemas(schema: JsonSchema): Json[] {
  const { properties, $defs, definitions, items, anyOf } = schema;
  const maps = [properties, $defs, definitions].filter((map) => map !== undefined);
  return [
    ...maps.flatMap((map) => (isJsonObject(map) ? Object.values(map) : [map])),
    ...(items === undefined ? [] : [items]),
    ...(anyOf === undefined ? [] : Array.isArray(anyOf) ? anyOf : [anyOf]),
  ];
}

/**
 * OpenAI's arguments are a text, ours are a value. Seals the difference: nothing for compact JSON; a flag for JSON with Python's spaces,
 * which most local models write; otherwise the whole text.
 */
export function argumentsSeal(text: string, parsed: ToolArguments): JsonObject {
  if (parsed.args === null || text === JSON.stringify(parsed.args)) return {};
  return text === spacedJson(parsed.args) ? { spaced: true } : { arguments: text };
}

/** The text that the model wrote, unless somebody changed the arguments since. */
export function writtenArguments(part: ToolCallPart, sealed: JsonObject): string {
  if (part.args === null) return part.rawArgs ?? '';
  const compact = JSON.stringify(part.args);
  if (sealed['spaced'] === true) return spacedJson(part.args);
  const kept = sealed['arguments'];
  return typeof kept === 'string' && saysTheSame(kept, compact) ? kept : compact;
}

function saysTheSame(text: string, compact: string): boolean {
  try {
    return JSON.stringify(text.trim() === '' ? {} : JSON.parse(text)) === compact;
  } catch {
    return false;
  }
}

function spacedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${spacedJson(member)}`,
  );
  return `{${members.join(', ')}}`;
}
