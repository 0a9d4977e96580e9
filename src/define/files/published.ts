import { z } from 'zod';
import { deepFreeze, isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../base';
import { documentFile, runnerFiles, runnerRef, toolFile } from '../schema/file';
import { otherKindsOf, otherSpellings } from './names';

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

/** Stands for a value that is known when the spec is loaded. */
const environment = { type: 'string', pattern: '\\$\\{env:[^}]+\\}' };

/** The JSON Schema of what files may hold at one place, by our own names. */
function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const {
    $schema: _,
    $defs: _defs,
    ...found
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.freeForm === true) jsonSchema.type = 'object';
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.description !== undefined) jsonSchema.description = helpText(jsonSchema);
      for (const keyword of ['expected', 'freeForm', 'byDefault', 'see', 'id']) {
        delete jsonSchema[keyword];
      }
    },
  });
  return found as JsonSchema;
}

/** The help of a field as editors show it, which is without Markdown. */
function helpText({ description = '', byDefault }: z.core.JSONSchema.BaseSchema): string {
  const text =
    typeof byDefault === 'string' ? `${description}. Default: ${byDefault}` : description;
  return text.replaceAll('`', "'");
}

/** The schemas of a file, and of what stands in it. */
function fileSchemas(): { readonly [name: string]: JsonSchema } {
  const kinds = Object.keys(runnerFiles);
  const document = jsonSchemaOf(documentFile);
  const lists = document.properties as { readonly [name: string]: JsonSchema };
  const workflows = kinds.filter((kind) => kind !== 'agent').map(ref);
  const named = runnerRef.options.slice(0, 2).map(jsonSchemaOf);
  return {
    document: {
      ...document,
      properties: {
        ...lists,
        agents: { ...lists.agents, items: ref('agent') },
        workflows: { ...lists.workflows, items: { anyOf: workflows } },
        tools: { ...lists.tools, items: ref('tool') },
      },
    },
    runner: { anyOf: [...named, ...kinds.map(ref)] },
    tool: jsonSchemaOf(toolFile),
    ...Object.fromEntries(
      Object.entries(runnerFiles).map(([kind, schema]) => [kind, jsonSchemaOf(schema)]),
    ),
  };
}

/**
 * Returns the JSON Schema of spec files, draft 2020-12, for editors. It has every spelling of a field. Some rules do not fit a schema,
 * for instance that an id is known; `loadSpec` checks them.
 */
export function specFileSchema(): JsonSchema {
  const { document = {}, ...definitions } = fileSchemas();
  const published = Object.entries(definitions).map(([name, schema]) => [name, publish(schema)]);
  return deepFreeze({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Longhaul spec',
    description: 'Agents and workflows as data',
    ...publish(document),
    $defs: { ...(Object.fromEntries(published) as JsonObject), environment },
  });
}

function publish(schema: JsonSchema): JsonObject {
  const published: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'required') continue;
    published[keyword] = keyword === 'properties' ? publishProperties(schema) : publishValue(value);
  }
  const { description, ...leaf } = { ...published, ...publishRequired(schema) };
  if (!needsChoice(schema)) return { ...(description && { description }), ...leaf };
  return { ...(description && { description }), anyOf: [leaf, ref('environment')] };
}

function publishValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(publishValue);
  return isJsonObject(value) ? publish(value) : value;
}

function publishProperties({ properties: found, required = [] }: JsonSchema): JsonObject {
  const properties = found as { readonly [name: string]: JsonSchema };
  const known = (name: string) => Object.hasOwn(properties, name);
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const member = publish(name === 'kind' ? withOtherKinds(schema) : schema);
    const published = (required as string[]).includes(name) ? member : orNull(member);
    return [name, ...otherSpellings(name, known)].map((spelling) => [spelling, published]);
  });
  return Object.fromEntries(fields) as JsonObject;
}

function withOtherKinds({ const: only, enum: choices, ...rest }: JsonSchema): JsonSchema {
  const kinds = (choices ?? [only]) as Json[];
  const all = [...kinds, ...kinds.flatMap(otherKindsOf)];
  return all.length === 1 ? { ...rest, const: kinds[0] ?? null } : { ...rest, enum: all };
}

/** A field that is null is left out. */
function orNull({ description, ...schema }: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  const isUnion = Array.isArray(anyOf) && Object.keys(rest).length === 0;
  const choices = isUnion ? anyOf : [schema];
  return { ...(description && { description }), anyOf: [...choices, { type: 'null' }] };
}

/** One of the spellings of each field that must be there. */
function publishRequired({ properties, required = [] }: JsonSchema): JsonObject {
  if (!isJsonObject(properties)) return {};
  const known = (name: string) => Object.hasOwn(properties, name);
  const choices = (required as string[]).map((name) => [name, ...otherSpellings(name, known)]);
  const single = choices.filter(({ length }) => length === 1).flat();
  const several = choices.filter(({ length }) => length > 1);
  return {
    ...(single.length > 0 && { required: single }),
    ...(several.length > 0 && {
      allOf: several.map((names) => ({ anyOf: names.map((name) => ({ required: [name] })) })),
    }),
  };
}

/** True if the schema must also allow a variable of the environment in place of the value. */
function needsChoice({ type, pattern, const: only, enum: choices }: JsonSchema): boolean {
  const isNumber = type === 'integer' || type === 'number' || type === 'boolean';
  return isNumber || pattern !== undefined || only !== undefined || choices !== undefined;
}
