import { dirname, join } from 'node:path';
import ts from 'typescript';
import { compilerOptions } from '../compiler-options';
import { root, type Snippet } from './markdown';

type VirtualFile = {
  readonly snippet: Snippet;
  readonly text: string;
  readonly linesBefore: number;
};

/** What adapters use and no public type shows: a third of all there is to read. */
const unseen = /\/node_modules\/(?:openai|@anthropic-ai|@google|webpack)\//;

/**
 * Type-checks snippets, against the source of the package. Each is an ES module in a folder of its page, so that it
 * may await at its top level. Returns one line per error, with the place in the page.
 */
export function typeErrors(snippets: readonly Snippet[]): readonly string[] {
  const files = new Map<string, VirtualFile>();
  for (const snippet of snippets) {
    const path = pathOf(snippet);
    const twin = files.get(path);
    if (twin !== undefined)
      return [`${place(snippet)}: line ${twin.snippet.line} has this file, too`];
    files.set(path, toFile(snippet));
  }
  const program = ts.createProgram([...files.keys()], snippetOptions(), hostWith(files));
  return [...files].flatMap(([path, file]) => {
    const source = program.getSourceFile(path);
    const found = [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ];
    return found.map((diagnostic) => describe(diagnostic, file));
  });
}

function pathOf({ page, line, file = `line-${line}.ts` }: Snippet): string {
  return join(root, `${page}.snippets`, file).replaceAll('\\', '/');
}

function toFile(snippet: Snippet): VirtualFile {
  const { given, code } = snippet;
  return {
    snippet,
    text: `${given}${code}\nexport {};\n`,
    linesBefore: given.split('\n').length - 1,
  };
}

function describe(
  { messageText, start = 0 }: ts.Diagnostic,
  { snippet, text, linesBefore }: VirtualFile,
): string {
  const line = text.slice(0, start).split('\n').length - 1 - linesBefore;
  const at =
    line < 0 ? `${place(snippet)} (what is given)` : `${snippet.page}:${snippet.line + line}`;
  return `${at}: ${ts.flattenDiagnosticMessageText(messageText, '\n  ')}`;
}

function place({ page, line }: Snippet): string {
  return `${page}:${line}`;
}

/** As the package itself is checked, but for what a snippet leaves unused. */
function snippetOptions(): ts.CompilerOptions {
  return { ...compilerOptions(), noUnusedLocals: false, noUnusedParameters: false };
}

/** The files of this machine, and beside them the snippets, each folder of them a package of ES modules. */
function hostWith(files: ReadonlyMap<string, VirtualFile>): ts.CompilerHost {
  const texts = new Map([...files].map(([path, { text }]) => [path, text]));
  for (const path of files.keys())
    texts.set(join(dirname(path), 'package.json'), '{"type":"module"}');
  const host = ts.createCompilerHost({});
  const { getSourceFile } = host;
  return {
    ...host,
    getCurrentDirectory: () => root,
    fileExists: (path) => texts.has(path) || (!unseen.test(path) && ts.sys.fileExists(path)),
    readFile: (path) => texts.get(path) ?? ts.sys.readFile(path),
    directoryExists: (path) =>
      [...texts.keys()].some((file) => file.startsWith(`${path}/`)) || ts.sys.directoryExists(path),
    realpath: (path) => (texts.has(path) ? path : (ts.sys.realpath?.(path) ?? path)),
    getSourceFile: (path, target, ...rest) => {
      const text = texts.get(path);
      return text === undefined
        ? getSourceFile.call(host, path, target, ...rest)
        : ts.createSourceFile(path, text, target, true);
    },
  };
}
