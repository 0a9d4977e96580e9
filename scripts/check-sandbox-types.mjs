// Compiles what runs in Temporal's workflow sandbox without the types of Node. The types of specs come from `src/define`, which runs on
// the worker and may use Node: only files of the sandbox are judged.

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const path = join(root, 'tsconfig.sandbox.json');
const config = ts.parseConfigFileTextToJson(path, readFileSync(path, 'utf8')).config;
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const own = new Set(fileNames);
const found = ts
  .getPreEmitDiagnostics(ts.createProgram(fileNames, options))
  .filter(({ file }) => file === undefined || own.has(file.fileName));
for (const { file, start = 0, messageText } of found) {
  const place = file?.getLineAndCharacterOfPosition(start);
  const where = file ? `${relative(root, file.fileName)}:${place.line + 1}: ` : '';
  console.error(where + ts.flattenDiagnosticMessageText(messageText, '\n'));
}
if (fileNames.length === 0) throw new Error('tsconfig.sandbox.json names no files');
process.exitCode = found.length === 0 ? 0 : 1;
