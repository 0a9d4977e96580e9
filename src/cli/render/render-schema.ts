// Describes what an answer must be, as lines for a person.

import { isJsonObject, type Json, type JsonSchema, oneLine } from '../../base';
import { printableLine } from './text';

const mostMembers = 20;
const longest = 160;

/** One line for each member of a simple object, otherwise one line for the whole. */
export function renderSchema(schema: JsonSchema): readonly string[] {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return [`  answer: ${describe(schema)}`];
  const needed: readonly Json[] = Array.isArray(required) ? required : [];
  const members = Object.entries(properties);
  const lines = members.slice(0, mostMembers).map(([name, member]) => {
    const optional = needed.includes(name) ? '' : ' (optional)';
    return `  ${printableLine(oneLine(name, longest))}: ${describe(member)}${optional}`;
  });
  const more = members.length - lines.length;
  return ['  answer with JSON:', ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])];
}

function describe(schema: Json): string {
  if (!isJsonObject(schema)) return 'anything';
  const { type, enum: choices, format, description } = schema;
  const kind = [type ?? []].flat().map(String).join(' or ');
  const what = Array.isArray(choices)
    ? choices.map((choice) => JSON.stringify(choice)).join(' | ')
    : kind;
  const shown = [what || 'JSON', typeof format === 'string' ? `(${format})` : ''];
  const said = typeof description === 'string' ? `, ${description}` : '';
  return printableLine(oneLine(`${shown.filter(Boolean).join(' ')}${said}`, longest));
}
