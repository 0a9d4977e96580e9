import { loadSpec, LonghaulError, type LoadSpecOptions } from '../../../../src';
import type { SpecSource } from '../../../../src/define/files/find';
import { aTool } from '../../define/builders';

/** An agent with these fields, from line 4. */
export function desk(fields: string): string {
  return `agents:\n  - id: desk\n    model: openai/gpt-5-mini\n${fields}`;
}

/** Agents `a` and `b`, and what follows from line 4. */
export function twoAgents(rest: string): string {
  return `agents:\n  - { id: a, model: openai/x }\n  - { id: b, model: openai/x }\n${rest}`;
}

type Refusal = {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
};

/** All that loading is refused for. */
export function refusalOf(source: SpecSource, options: LoadSpecOptions = {}): readonly Refusal[] {
  try {
    loadSpec(source, options);
    return [];
  } catch (error) {
    if (!LonghaulError.is(error) || error.code !== 'SpecError') throw error;
    return error.details?.problems as readonly Refusal[];
  }
}

/** `line:column path message` of each refusal of a text. */
export function refusals(text: string, name?: string): readonly string[] {
  const source = { text, ...(name !== undefined && { name }) };
  const options = { tools: [aTool('lookup')], env: { NAME: 'Ada' } };
  return refusalOf(source, options).map(({ line, column, path, message }) =>
    [`${line}:${column}`, path, message].filter((part) => part !== '').join(' '),
  );
}
