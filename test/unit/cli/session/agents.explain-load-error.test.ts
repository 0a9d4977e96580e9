// Pure: no server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainLoadError } from '../../../../src/cli/session/agents';

describe('explainLoadError', () => {
  it.each([
    { code: 'ERR_UNKNOWN_FILE_EXTENSION', hint: 'Node reads TypeScript from version 22.18 on' },
    { code: 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', hint: 'Node only strips types' },
    { code: 'ERR_MODULE_NOT_FOUND', hint: 'with its extension' },
  ])('says what to do about $code', ({ code, hint }) => {
    const error = Object.assign(new Error('failed'), { code, stack: '' });
    const { message } = explainLoadError(error, '/somewhere/agents.ts');
    expect(message).toMatch(/^cannot load agents\.ts: failed\. /);
    expect(message).toContain(hint);
  });

  it('says what to do about an ES module that Node takes for the other kind', () => {
    const error = new SyntaxError('Cannot use import statement outside a module');
    error.stack = 'hello.ts:1';
    expect(explainLoadError(error, '/a/hello.ts').message).toBe(
      'cannot load hello.ts:1: Cannot use import statement outside a module. Write "type": "module" in package.json, or name the file .mts',
    );
  });

  it('takes the line from the stack', () => {
    const error = Object.assign(new Error('boom'), {
      stack: 'Error\n at file:///a/agents.mjs:7:3',
    });
    expect(explainLoadError(error, '/a/agents.mjs').message).toBe('cannot load agents.mjs:7: boom');
  });

  it('lets Node look for the line of a syntax error', () => {
    const folder = mkdtempSync(join(tmpdir(), 'longhaul-syntax-'));
    const file = join(folder, 'agents.mjs');
    writeFileSync(file, 'const a = 1;\n\nsyntax error here;\n');
    const error = Object.assign(new SyntaxError('Unexpected'), { stack: 'SyntaxError' });
    expect(explainLoadError(error, file).message).toBe('cannot load agents.mjs:3: Unexpected');
    rmSync(folder, { recursive: true });
  });
});
