import type { Document, LineCounter, YAMLError } from 'yaml';
import { LocatedBuilder, tagMessage } from './build-located';
import type { Located, Place } from './located';
import { problemAt, type SpecProblem } from './spec-problem';
import { yamlLibrary } from './yaml-library';

export type ParsedText = {
  /** One for each document that is not empty. */
  readonly documents: readonly Located[];
  readonly problems: readonly SpecProblem[];
};

/** The documents of a file, YAML 1.2 without tags or merge keys; or JSON, strictly, where the file's name says so. */
export function parseText(file: string, text: string): ParsedText {
  const { LineCounter, parseAllDocuments } = yamlLibrary();
  const lineCounter = new LineCounter();
  const parsed = parseAllDocuments(text, {
    lineCounter,
    version: '1.2',
    schema: 'core',
    prettyErrors: false,
    // Checked while it is read: here it takes time with the square of the keys.
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const documents: readonly Document.Parsed[] = Array.isArray(parsed) ? parsed : [];
  const placeOf = placeIn(file, lineCounter);
  const end = text.trimEnd().length;
  const syntax = documents.flatMap((document) =>
    // What lacks its end is said at the last character there is.
    syntaxProblems(document, (offset) => placeOf(Math.min(offset, end))),
  );
  const problems = syntax.length > 0 ? syntax : jsonProblems(file, text);
  if (problems.length > 0) return { documents: [], problems };
  const builder = new LocatedBuilder(placeOf);
  const located = documents.flatMap(({ contents }) => {
    const node = builder.read(contents);
    return node === undefined ? [] : [node];
  });
  return { documents: located, problems: builder.problems };
}

/** The parser goes on after an error; what it says then is mostly noise. */
function syntaxProblems(
  document: Document.Parsed,
  placeOf: (offset: number) => Place,
): SpecProblem[] {
  const first = document.errors[0];
  const found = [...(first === undefined ? [] : [first]), ...document.warnings];
  return found.map((error) => problemAt(placeOf(error.pos[0]), '', syntaxMessage(error)));
}

const messages: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'has a tab as indentation: YAML takes spaces only',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  MULTIPLE_ANCHORS: 'has two anchors',
};

function syntaxMessage({ code, message }: YAMLError): string {
  if (code === 'TAG_RESOLVE_FAILED') {
    return tagMessage(message.replace(/^Unresolved tag: /, ''));
  }
  const hint = message.includes('flow-map-start')
    ? '; a value with ${…} within {} or [] must stand in quotes'
    : '';
  return messages[code] ?? `is not valid YAML: ${message}${hint}`;
}

/** YAML takes more than JSON has: other tools could not read such a file. */
function jsonProblems(file: string, text: string): SpecProblem[] {
  if (!/\.json$/i.test(file) || text.trim() === '') return [];
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    const { message } = error as Error;
    const [, line = '1', column = '1'] = /line (\d+) column (\d+)/.exec(message) ?? [];
    const place = { file, line: Number(line), column: Number(column) };
    return [problemAt(place, '', `is not valid JSON: ${message.replace(/ in JSON at .*$/, '')}`)];
  }
}

function placeIn(file: string, lines: LineCounter): (offset: number) => Place {
  return (offset) => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
}
