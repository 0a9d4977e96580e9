// Turns the names of potato-agent and other spellings of fields into our own names.

import { formatPath, isJsonObject, type Json, type JsonObject, quote } from '../../base';
import { isFreeForm, type Path, type Reading, type Source } from './places';

/** Names in the files of potato-agent that are other words than ours. */
const otherNames: Readonly<Record<string, string>> = {
  system_prompt: 'instructions',
  merge_strategy: 'merge',
  window_size: 'turns',
  type: 'kind',
  agent: 'runner',
  steps: 'branches',
  max: 'limit',
};

/** Names of potato-agent for some kinds of workflows, criteria and memories. */
const otherKinds: Readonly<Record<string, string>> = {
  workflow: 'graph',
  structured_output: 'structured-output',
  max_iterations: 'max-iterations',
  in_memory: 'full',
};

/** Names of potato-agent for providers. Other names are those of the worker's own providers. */
const ourProviders: ReadonlyMap<string, string> = new Map([
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['gemini', 'google'],
  ['google', 'google'],
  ['vertex', 'vertex'],
]);
const unusableProviders = ['google_adk', 'googleadk', 'undefined'];

/** Whether two spellings may mean one field. */
export function isSameField(one: string, other: string): boolean {
  const names = (written: string) => [written, otherNames[written], camelCase(written)];
  return names(one).some((name) => name !== undefined && names(other).includes(name));
}

/** Every other way to spell a field of an object with these fields. */
export function otherSpellings(name: string, known: (name: string) => boolean): readonly string[] {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const potato = Object.keys(otherNames).filter((other) => otherNames[other] === name);
  return [snake, ...potato].filter((spelling) => spelling !== name && !known(spelling));
}

export function otherKindsOf(kind: unknown): readonly string[] {
  return Object.keys(otherKinds).filter((other) => otherKinds[other] === kind);
}

type IsFree = (name: string) => boolean;
type Renaming = { readonly reading: Reading; readonly isFree: IsFree };

/** The same document with our own names for all fields, for any spelling in the file, and without fields that are null. */
export function withOurNames(
  { value, mark }: Source,
  reading: Reading,
  isFree: IsFree = isFreeForm,
): Source {
  return { value: rename(value, [], { reading, isFree }), mark };
}

function rename(value: Json, written: Path, renaming: Renaming): Json {
  if (!Array.isArray(value)) {
    return isJsonObject(value) ? renameMembers(value, written, renaming) : value;
  }
  const { places } = renaming.reading;
  const items = value.map((item, index) => rename(item, [...written, index], renaming));
  items.forEach((_, index) => places.mark(items, index, places.markOf(value, index)));
  return items;
}

function renameMembers(value: JsonObject, written: Path, renaming: Renaming): JsonObject {
  const { reading, isFree } = renaming;
  const { places } = reading;
  const renamed: JsonObject = {};
  if (places.isPartial(value)) places.markPartial(renamed);
  const isParallel = [value.kind, value.type].includes('parallel');
  for (const [spelling, member] of Object.entries(value)) {
    // The sections of a file are not fields of a runner.
    const name = written.length === 0 ? camelCase(spelling) : ourName(spelling, isParallel);
    const mark = places.markOf(value, spelling);
    const earlier = places.markOf(renamed, name);
    if (mark !== undefined && earlier !== undefined) {
      const message = `is the same field as ${quote(String(earlier.written))}: keep one of them`;
      reading.reportAt(mark.key, formatPath([...written, spelling]), message);
      continue;
    }
    places.mark(renamed, name, mark);
    if (member === null) continue;
    renamed[name] = isFree(name) ? member : rename(member, [...written, spelling], renaming);
  }
  if (typeof renamed.kind === 'string') renamed.kind = ourKind(renamed.kind);
  if (written.at(-1) !== 'model') nameProvider(renamed, written, reading);
  return renamed;
}

/** `provider` beside `model`, or the default provider of potato-agent, becomes a part of the model. */
function nameProvider(fields: JsonObject, written: Path, reading: Reading): void {
  const { places, env } = reading;
  const { model } = fields;
  const [mark, named] = [places.markOf(fields, 'model'), places.markOf(fields, 'provider')];
  const isAlone = typeof model === 'string' && !model.includes('/');
  const provider =
    textOf(fields.provider) ?? textOf(isAlone ? env.POTATO_HEAD_DEFAULT_PROVIDER : undefined);
  if (mark === undefined || model === '' || provider === undefined) return;
  const refuse = (message: string) => {
    reading.reportAt((named ?? mark).value, formatPath([...written, 'provider']), message);
  };
  if (isJsonObject(model)) refuse('stands in the model, too: keep one of them');
  if (typeof model !== 'string') return;
  const name = provider.toLowerCase();
  if (unusableProviders.includes(name)) refuse(`is ${quote(provider)}, which runs no agents`);
  const parts: JsonObject = { provider: ourProviders.get(name) ?? provider, model };
  places.mark(parts, 'provider', named ?? mark);
  places.mark(parts, 'model', mark);
  fields.model = parts;
  delete fields.provider;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function ourName(written: string, isParallel: boolean): string {
  const other = Object.hasOwn(otherNames, written) ? otherNames[written] : undefined;
  return other === undefined || (other === 'branches' && !isParallel) ? camelCase(written) : other;
}

function ourKind(written: string): string {
  return Object.hasOwn(otherKinds, written) ? (otherKinds[written] ?? written) : written;
}

function camelCase(written: string): string {
  return written.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
