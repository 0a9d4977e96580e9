// Writes the tables of options in the docs from the schemas: the test that compares them, told to write. Usage: npm run docs
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const project = resolve(import.meta.dirname, '..');
const jest = resolve(project, 'node_modules/jest/bin/jest.js');
const { status } = spawnSync(process.execPath, [jest, 'test/unit/docs/option-tables.test.ts'], {
  cwd: project,
  env: { ...process.env, WRITE_DOCS: '1' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
