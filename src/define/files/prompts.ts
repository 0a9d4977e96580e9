import type { z } from 'zod';
import { defined, type Json, type JsonObject } from '../../base';
import { promptFile } from '../schema/file';
import { findPromptFile } from './find';
import { withOurNames } from './names';
import { check, problemAt, startOf, type Reading } from './places';
import { expandEnvironment, parseText } from './source';

/** A prompt, and what its file says of the agent that gets it. */
export type LoadedPrompt = { readonly text: string; readonly agent: JsonObject };

export type PromptContext = {
  readonly folder: string | undefined;
  readonly reading: Reading;
  /** Gets the path of every file that is opened. */
  readonly promptFiles: string[];
  /** Reports a problem of the field that names the file. */
  readonly refuse: (message: string) => void;
};

/** The text of a field, or of the file it names with `{path}`. */
export function readPromptText(value: Json, context: PromptContext): string | undefined {
  if (typeof value === 'string') return value;
  const file = openFile(value, context);
  return file && plainText(file, context.reading);
}

/** The prompt of a task: a text, a file of text, or a prompt file in YAML or JSON. */
export function readPrompt(value: Json, context: PromptContext): LoadedPrompt | undefined {
  if (typeof value === 'string') return { text: value, agent: {} };
  const file = openFile(value, context);
  if (file !== undefined && /\.(?:ya?ml|json)$/i.test(file.name)) {
    return readPromptFile(file, context.reading);
  }
  const text = file && plainText(file, context.reading);
  return text === undefined ? undefined : { text, agent: {} };
}

type TextFile = { readonly name: string; readonly text: string };

function openFile(value: Json, context: PromptContext): TextFile | undefined {
  const { folder, reading, promptFiles, refuse } = context;
  const found = findPromptFile((value as { readonly path: string }).path, folder);
  if (!found.ok) {
    refuse(found.message);
    return undefined;
  }
  const { name, content } = found.file;
  promptFiles.push(name);
  if (content.ok) return { name, text: content.text };
  reading.problems.push(problemAt(startOf(name), '', content.message));
  return undefined;
}

function plainText({ name, text }: TextFile, { env, problems }: Reading): string | undefined {
  const written = text.replaceAll('\r\n', '\n').trimEnd();
  const expanded = expandEnvironment(written, env);
  const messages = written === '' ? ['has nothing in it'] : expanded.problems;
  problems.push(...messages.map((message) => problemAt(startOf(name), '', message)));
  return messages.length > 0 ? undefined : expanded.text;
}

function readPromptFile({ name, text }: TextFile, reading: Reading): LoadedPrompt | undefined {
  const before = reading.problems.length;
  const [document, second] = parseText(name, text, reading);
  const place = second?.mark.value ?? startOf(name);
  if (document === undefined && reading.problems.length > before) return undefined;
  if (document === undefined || second !== undefined) {
    reading.problems.push(problemAt(place, '', 'must have one document with a prompt'));
    return undefined;
  }
  const isFree = (field: string) => ['settings', 'responseFormat'].includes(field);
  const source = withOurNames(document, { ...reading, isFree });
  const { value } = check(promptFile, { source, path: [] }, reading);
  if (reading.problems.length > before) return undefined;
  const prompt = value as PromptFile;
  return { text: joined(prompt.messages), agent: agentIn(prompt) };
}

type PromptFile = z.output<typeof promptFile>;

/** What a prompt file says of the agent. */
function agentIn({ model, systemInstructions = '', settings, responseFormat }: PromptFile) {
  return defined({
    model,
    instructions: joined(systemInstructions) || undefined,
    output: responseFormat && { schema: responseFormat },
    settings: settings && { extra: settings },
  }) as JsonObject;
}

function joined(texts: string | readonly string[]): string {
  return typeof texts === 'string' ? texts : texts.join('\n\n');
}
