import type { JsonObject } from '../../base/json';
import type { AgentSpec } from '../../protocol/spec';
import { expandEnvironment } from './expand-env';
import { FieldPlaces } from './field-places';
import type { FileText, PromptFile } from './file-values';
import { given } from './file-values';
import { promptFileSchema } from './format-schema';
import type { Located } from './located';
import { parseText } from './parse-yaml';
import { findPromptFile } from './prompt-files';
import { readModel } from './read-model';
import { NodeReader } from './read-node';
import type { SpecFile } from './spec-files';
import { problemAt, type SpecProblem } from './spec-problem';

/** A prompt, and what its file says of the agent that gets it. */
export type LoadedPrompt = {
  readonly text: string;
  readonly agent: Partial<Pick<AgentSpec, 'model' | 'instructions' | 'output' | 'settings'>>;
};

export type PromptContext = {
  readonly folder: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly problems: SpecProblem[];
  /** What is opened is added. */
  readonly promptFiles: string[];
  /** A problem of the field that names the file. */
  readonly refuse: (message: string) => void;
};

/** The text of a field, from a file where it names one. */
export function readText(value: FileText, context: PromptContext): string | undefined {
  if (typeof value === 'string') return value;
  const file = openFile(value.path, context);
  return file === undefined ? undefined : plainText(file, context);
}

/** A task's prompt: as text, as a file of text, or as a prompt file in YAML or JSON. */
export function readPrompt(value: FileText, context: PromptContext): LoadedPrompt | undefined {
  if (typeof value === 'string') return { text: value, agent: {} };
  const file = openFile(value.path, context);
  if (file === undefined) return undefined;
  if (/\.(?:ya?ml|json)$/i.test(file.name)) return readPromptFile(file, context);
  const text = plainText(file, context);
  return text === undefined ? undefined : { text, agent: {} };
}

type TextFile = { readonly name: string; readonly text: string };

function openFile(path: string, context: PromptContext): TextFile | undefined {
  const { folder, problems, promptFiles, refuse } = context;
  const found = findPromptFile(path, folder);
  if (!found.ok) {
    refuse(found.message);
    return undefined;
  }
  const { name, content }: SpecFile = found.file;
  promptFiles.push(name);
  if (content.ok) return { name, text: content.text };
  problems.push(problemAt({ file: name, line: 1, column: 1 }, '', content.message));
  return undefined;
}

function plainText({ name, text }: TextFile, { env, problems }: PromptContext): string | undefined {
  const place = { file: name, line: 1, column: 1 };
  const value = text.replaceAll('\r\n', '\n').trimEnd();
  if (value === '') {
    problems.push(problemAt(place, '', 'has nothing in it'));
    return undefined;
  }
  const expanded = expandEnvironment({ kind: 'scalar', place, value }, { env, problems });
  return expanded.kind === 'scalar' ? String(expanded.value) : undefined;
}

function readPromptFile(file: TextFile, context: PromptContext): LoadedPrompt | undefined {
  const { documents, problems } = parseText(file.name, file.text);
  context.problems.push(...problems);
  const [document, second] = documents;
  const place = second?.place ?? { file: file.name, line: 1, column: 1 };
  if (problems.length > 0) return undefined;
  if (document === undefined || second !== undefined) {
    context.problems.push(problemAt(place, '', 'must have one document with a prompt'));
    return undefined;
  }
  const prompt = readFields(document, context);
  if (prompt === undefined) return undefined;
  const model = prompt.model === undefined ? undefined : readModel(prompt, context.env);
  if (model?.ok === false) {
    context.problems.push(problemAt(place, model.field, model.message));
    return undefined;
  }
  return { text: joined(prompt.messages), agent: agentFields(prompt, model?.model) };
}

function readFields(document: Located, { env, problems }: PromptContext): PromptFile | undefined {
  const found: SpecProblem[] = [];
  const expanded = expandEnvironment(document, { env, problems: found });
  const reader = new NodeReader({}, new FieldPlaces());
  const value = reader.read(promptFileSchema, expanded, { path: [], written: [] });
  problems.push(...found, ...reader.problems);
  return found.length + reader.problems.length > 0 ? undefined : (value as unknown as PromptFile);
}

function agentFields(
  { systemInstructions, settings, responseFormat }: PromptFile,
  model: AgentSpec['model'] | undefined,
): LoadedPrompt['agent'] {
  const instructions = systemInstructions === undefined ? undefined : joined(systemInstructions);
  const fields: JsonObject = given({
    model,
    instructions: instructions === '' ? undefined : instructions,
    output: responseFormat === undefined ? undefined : { schema: responseFormat },
    settings: settings === undefined ? undefined : { extra: settings },
  });
  return fields;
}

function joined(texts: string | readonly string[]): string {
  return typeof texts === 'string' ? texts : texts.join('\n\n');
}
