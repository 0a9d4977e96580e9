import { resolve } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '../..');

/** The options with which the project is checked. Looks for no files. */
export function compilerOptions(): ts.CompilerOptions {
  const path = resolve(root, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name)) as { config: object };
  const own = { ...config, files: [], include: [] };
  return ts.parseJsonConfigFileContent(own, ts.sys, root).options;
}
