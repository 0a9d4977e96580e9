// Reads the texts of instructions and prompts from their files.

import type { z } from 'zod';
import { defined, type Json, type JsonObject } from '../../base';
import { promptFile } from '../schema/file';
import { findPromptFile } from './find';
import { withOurNames } from './names';
import { check, startOf, type At, type Reading } from './places';
import { expandEnvironment, parseText } from './source';

/** A prompt, and the fields of its file for the agent that gets it. */
export type Prompt = { readonly text: string; readonly agent: JsonObject };

export type PromptFiles = {
  readonly folder: string | undefined;
  readonly reading: Reading;
  /** Gets the path of every file that is opened. */
  readonly promptFiles: string[];
};

/** The text of a field, or of the file it names with `{path}`. That path stands at `at`. */
export function readText(value: Json, files: PromptFiles, at: At): string | undefined {
  if (typeof value === 'string') return value;
  const file = openFile(value, files, at);
  return file && plainText(file, files.reading);
}

/** The prompt of a task: a text, a file of text, or a prompt file in YAML or JSON. */
export function readPrompt(value: Json, files: PromptFiles, at: At): Prompt | undefined {
  if (typeof value === 'string') return { text: value, agent: {} };
  const file = openFile(value, files, at);
  if (file !== undefined && /\.(?:ya?ml|json)$/i.test(file.name)) {
    return readPromptFile(file, files.reading);
  }
  const text = file && plainText(file, files.reading);
  return text === undefined ? undefined : { text, agent: {} };
}

type TextFile = { readonly name: string; readonly text: string };

function openFile(
  value: Json,
  { folder, reading, promptFiles }: PromptFiles,
  at: At,
): TextFile | undefined {
  const found = findPromptFile((value as { readonly path: string }).path, folder);
  if (!found.ok) {
    reading.report(at, [], found);
    return undefined;
  }
  const { name, content } = found.file;
  promptFiles.push(name);
  if (content.ok) return { name, text: content.text };
  reading.reportAt(startOf(name), '', content.message);
  return undefined;
}

function plainText({ name, text }: TextFile, reading: Reading): string | undefined {
  const written = text.replaceAll('\r\n', '\n').trimEnd();
  const expanded = expandEnvironment(written, reading.env);
  const messages = written === '' ? ['has nothing in it'] : expanded.problems;
  for (const message of messages) reading.reportAt(startOf(name), '', message);
  return messages.length > 0 ? undefined : expanded.text;
}

function readPromptFile({ name, text }: TextFile, reading: Reading): Prompt | undefined {
  const before = reading.problems.length;
  const [document, second] = parseText(name, text, reading);
  if (document === undefined && reading.problems.length > before) return undefined;
  if (document === undefined || second !== undefined) {
    const place = second?.mark.value ?? startOf(name);
    reading.reportAt(place, '', 'must have one document with a prompt');
    return undefined;
  }
  const isFree = (field: string) => ['settings', 'responseFormat'].includes(field);
  const source = withOurNames(document, reading, isFree);
  const { value } = check(promptFile, { source, path: [] }, reading);
  if (reading.problems.length > before) return undefined;
  const prompt = value as z.output<typeof promptFile>;
  const { model, messages, systemInstructions = '', settings, responseFormat } = prompt;
  const agent = defined({
    model,
    instructions: joined(systemInstructions) || undefined,
    output: responseFormat && { schema: responseFormat },
    settings: settings && { extra: settings },
  });
  return { text: joined(messages), agent: agent };
}

function joined(texts: string | readonly string[]): string {
  return typeof texts === 'string' ? texts : texts.join('\n\n');
}
