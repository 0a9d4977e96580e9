/** Names in potato-agent's files that are other words than ours. */
const otherNames: Readonly<Record<string, string>> = {
  system_prompt: 'instructions',
  merge_strategy: 'merge',
  window_size: 'turns',
  type: 'kind',
  agent: 'runner',
  steps: 'branches',
  max: 'limit',
};

/** What may have any members: JSON Schemas, and what goes to a provider as it is. */
const freeForm = ['schema', 'extra'];

/** Our own name of a field of an object that has these, however it is spelled. */
export function fieldName(written: string, known: (name: string) => boolean): string | undefined {
  if (known(written)) return written;
  const other = Object.hasOwn(otherNames, written) ? otherNames[written] : undefined;
  const names = [other, camelCase(written)];
  return names.find((name) => name !== undefined && known(name));
}

/** Whether two spellings may mean one field. */
export function isSameField(one: string, other: string): boolean {
  const names = (written: string) => [written, otherNames[written], camelCase(written)];
  return names(one).some((name) => name !== undefined && names(other).includes(name));
}

/** Every other way to spell a field of an object that has these. */
export function otherSpellings(name: string, known: (name: string) => boolean): readonly string[] {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const potato = Object.keys(otherNames).filter((other) => otherNames[other] === name);
  return [snake, ...potato].filter((spelling) => spelling !== name && !known(spelling));
}

export function isFreeForm(name: string): boolean {
  return freeForm.includes(name);
}

function camelCase(written: string): string {
  return written.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
