// Reads manifests from folders of its own. No server.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../../../package.json';
import { ownSource } from '../../../../src/cli/session/own-source';

describe('ownSource', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'own-source-'));
    mkdirSync(join(home, 'project'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it.each<[string, string, object | undefined, string]>([
    ['a file', '', { dependencies: { longhaul: 'file:../longhaul.tgz' } }, 'file:../longhaul.tgz'],
    [
      'a file that pnpm unpacked',
      '.pnpm/longhaul@file+longhaul.tgz/node_modules/',
      { devDependencies: { longhaul: 'file:../longhaul.tgz' } },
      'file:../longhaul.tgz',
    ],
    ['a registry', '', { dependencies: { longhaul: '~0.1.0' } }, `^${manifest.version}`],
    [
      'a URL',
      '',
      { dependencies: { longhaul: 'https://a.example/l.tgz' } },
      'https://a.example/l.tgz',
    ],
    ['somewhere, as nobody says', '', {}, 'file:../project/node_modules/longhaul'],
    ['somewhere, without a manifest', '', undefined, 'file:../project/node_modules/longhaul'],
  ])('is where it was installed from: %s', (_name, inner, project, source) => {
    if (project !== undefined)
      writeFileSync(join(home, 'project/package.json'), JSON.stringify(project));
    const root = join(home, 'project/node_modules', inner, 'longhaul');
    expect(ownSource(join(home, 'my-agent'), root)).toBe(source);
  });

  it('is the folder of a checkout', () => {
    expect(ownSource(join(home, 'my-agent'), join(home, 'longhaul'))).toBe('file:../longhaul');
  });
});
