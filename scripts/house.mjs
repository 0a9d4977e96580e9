// Measures the code base and fails where a figure is worse than its limit. Lower a limit when a change makes its figure better. Raise one only
// with a line in an ADR that says what was bought: docs/adr/0049-limits-of-the-house.md.
// What an install costs is measured by `npm run installs`. Usage: house.mjs [--since <commit>] [--test-seconds <seconds>]
//   --since         also measures the sources of that commit, for a table of before and after
//   --test-seconds  how long `npm test` took, for the table
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { BELOW_SPECS, DOORS, WORDS } from './import-boundaries.mjs';

process.chdir(resolve(import.meta.dirname, '..'));

const LIMITS = {
  'source files': 602,
  'source tokens': 501_500,
  'tokens a line': 6.95,
  'local imports, 90th percentile': 11,
  'local imports, most': 28,
  'imports past a door': 0,
  'import circles, types included': 0,
  'members of the largest class': 36,
  'exported names': 220,
  'workflow bundle, KB': 1_640,
  'packed package, KB': 1_820,
};

const { values: options } = parseArgs({
  options: {
    since: { type: 'string' },
    'test-seconds': { type: 'string' },
  },
});
const scratch = mkdtempSync(join(tmpdir(), 'longhaul-house-'));
const run = (command, args, settings) =>
  execFileSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
    ...settings,
  });
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const kilobytes = (bytes) => Math.round(bytes / 1_000);

/** The files that each file imports or exports from, by path; a file outside the list is left out. */
function localImports(texts) {
  return new Map(
    [...texts].map(([file, text]) => {
      const { importedFiles } = ts.preProcessFile(text, true, true);
      const found = importedFiles.flatMap(({ fileName }) => {
        if (!fileName.startsWith('.')) return [];
        const path = posix.join(posix.dirname(file), fileName);
        return [`${path}.ts`, path, `${path}/index.ts`].find((path) => texts.has(path)) ?? [];
      });
      return [file, new Set(found)];
    }),
  );
}

const roomOf = (file) => file.split('/')[1].replace(/\.ts$/, '');

/** Whether another room may import the file: it is right in `src`, or the index of a room or of a folder with a door. */
function isDoor(file) {
  const [, room, ...rest] = file.replace(/\/index\.ts$/, '').split('/');
  if (WORDS.includes(room) || rest.length === 0) return true;
  return file.endsWith('/index.ts') && (DOORS[room] ?? []).includes(rest.join('/'));
}

/** How many imports from another room do not go through a door of it. */
function pastDoors(graph) {
  const isPast = (from, to) => {
    if (roomOf(from) === roomOf(to) || isDoor(to)) return false;
    return roomOf(to) !== 'protocol' || !BELOW_SPECS.some((part) => from.startsWith(`src/${part}`));
  };
  return [...graph].flatMap(([from, imports]) => [...imports].filter((to) => isPast(from, to)))
    .length;
}

/** Counts leaves of the syntax tree, comments and white space left out, and the members of the largest class. */
function measureSyntax(text) {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest);
  let [tokens, members] = [0, 0];
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    if (ts.isClassLike(node)) members = Math.max(members, node.members.length);
    const children = node.getChildren(source);
    children.forEach(visit);
    const isToken = children.length === 0 && node.getText(source) !== '';
    if (isToken && node.kind !== ts.SyntaxKind.EndOfFileToken) tokens += 1;
  };
  visit(source);
  return { tokens, members };
}

/** Groups of files that import each other, directly or not (Tarjan's algorithm). */
function circles(graph) {
  const [order, lowest, stack, found] = [new Map(), new Map(), [], []];
  const visit = (file) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file));
    stack.push(file);
    for (const next of graph.get(file)) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next))
        lowest.set(file, Math.min(lowest.get(file), lowest.get(next) ?? order.get(next)));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group);
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** Names that a module exports; what it exports from another file by `*` included. */
function exportedNames(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement;
      if (exportClause && ts.isNamedExports(exportClause))
        return exportClause.elements.map(({ name }) => name.text);
      if (exportClause) return [exportClause.name.text];
      const path = join(dirname(file), moduleSpecifier.text);
      return exportedNames([`${path}.ts`, join(path, 'index.ts')].find((path) => existsSync(path)));
    }
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const declared = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement];
    return declared.map(({ name }) => name.text);
  });
}

function measureSources(folder) {
  const files = globSync('src/**/*.ts', { cwd: folder }).sort();
  const texts = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  const graph = localImports(texts);
  const importers = new Map(files.map((file) => [file, 0]));
  for (const file of [...graph.values()].flatMap((imports) => [...imports]))
    importers.set(file, importers.get(file) + 1);
  const counts = [...graph.values()].map(({ size }) => size).sort((one, other) => one - other);
  const single = [...importers.values()].filter((count) => count === 1).length;
  const entries = Object.entries(readJson(join(folder, 'package.json')).exports).flatMap(
    ([name, { types }]) =>
      types ? [[name, types.replace('./dist', 'src').replace('.d.ts', '.ts')]] : [],
  );
  const exported = entries.map(([name, file]) => [
    name,
    new Set(exportedNames(join(folder, file))).size,
  ]);
  const syntax = [...texts.values()].map(measureSyntax);
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const lines = sum([...texts.values()].map((text) => text.split('\n').length - 1));
  const tokens = sum(syntax.map((each) => each.tokens));
  return {
    'source files': files.length,
    'source lines': lines,
    'source tokens': tokens,
    'tokens a line': Math.round((tokens / lines) * 100) / 100,
    'local imports, 90th percentile': counts[Math.floor(counts.length * 0.9)],
    'local imports, most': counts.at(-1),
    'imports past a door': pastDoors(graph),
    'files with one importer, %': Math.round((single / files.length) * 100),
    'import circles, types included': circles(graph).length,
    'members of the largest class': Math.max(...syntax.map(({ members }) => members)),
    'exported names': sum(exported.map(([, count]) => count)),
    ...Object.fromEntries(exported.map(([name, count]) => [`  exported by ${name}`, count])),
  };
}

/** What `npm run build` left. */
function measureBuilt() {
  const bundle = 'dist/workflow-bundle.js';
  if (!existsSync(bundle)) return {};
  const [{ size }] = JSON.parse(run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts']));
  return {
    'workflow bundle, KB': kilobytes(statSync(bundle).size),
    'packed package, KB': kilobytes(size),
  };
}

function measureCommit(commit) {
  const archive = join(scratch, 'sources.tar');
  run('git', ['archive', '--output', archive, commit, 'src', 'package.json']);
  run('tar', ['-xf', archive, '-C', scratch]);
  return measureSources(scratch);
}

try {
  const seconds = options['test-seconds'];
  const now = {
    ...measureSources('.'),
    ...measureBuilt(),
    ...(seconds && { 'npm test, seconds': Number(seconds) }),
  };
  const before = options.since ? measureCommit(options.since) : {};
  const worse = Object.keys(LIMITS).filter((name) => now[name] > LIMITS[name]);
  const columns = (name, ...cells) =>
    console.log(name.padEnd(46) + cells.map((cell) => String(cell ?? '').padStart(10)).join(''));
  columns('', ...(options.since ? ['before'] : []), 'now', 'limit');
  for (const name of Object.keys(now))
    columns(name, ...(options.since ? [before[name]] : []), now[name], LIMITS[name]);
  for (const name of worse)
    console.log(`Worse than its limit in scripts/house.mjs: ${name}: ${now[name]}`);
  if (worse.length > 0) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
