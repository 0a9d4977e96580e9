// Pure: compares a page with package.json and what is installed.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import manifest from '../../../package.json';
import lock from '../../../package-lock.json';
import { testedMinors } from '../../../src/protocol/peers';
import { readPage } from './markdown';

const installed: Record<string, { readonly version?: string }> = lock.packages;
const { text } = readPage('docs/upgrading.md');
const rows = text
  .slice(text.indexOf('## What is supported'), text.indexOf('## The contract'))
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const cellsOf = (name: string): readonly string[] =>
  rows.find(([first = '']) => first.startsWith(name))?.slice(1) ?? [];

describe('the versions in docs/upgrading.md', () => {
  it.each(Object.entries(manifest.peerDependencies))(
    '%s: the range of package.json',
    (name, range) => {
      const row = name.startsWith('@temporalio/') ? '`@temporalio/*`' : `\`${name}\``;
      expect(cellsOf(row)[0]).toBe(`\`${range}\``);
    },
  );

  it.each(
    Object.keys(manifest.peerDependencies).filter((name) => !name.startsWith('@temporalio/')),
  )('%s: the version that tests run with', (name) => {
    const [, minor = 'none'] =
      /^(\d+\.\d+)/.exec(installed[`node_modules/${name}`]?.version ?? '') ?? [];
    expect(cellsOf(`\`${name}\``)[1]).toMatch(new RegExp(`^${minor}(,|$)`));
  });

  it('names the minor versions of the Temporal SDK that are tested', () => {
    expect(cellsOf('`@temporalio/*`')[1]).toBe(
      testedMinors.map((minor) => `${minor}.0`).join(', '),
    );
  });

  it('names the oldest Node', () => {
    const oldest = manifest.engines.node.replace('>=', '');
    expect(cellsOf('Node')[0]).toBe(`${oldest} or later`);
  });
});

describe('the version of package.json', () => {
  it.each([
    ['docs/path/start.md', `longhaul-${manifest.version}.tgz`, /longhaul-[\d.]+\.tgz/g],
    ['docker-compose.yml', `longhaul:${manifest.version}`, /longhaul:\d[\d.]*/g],
    ['examples/service/Dockerfile', `longhaul:${manifest.version}`, /longhaul:\d[\d.]*/g],
    ['SECURITY.md', `| ${manifest.version.replace(/\.\d+$/, '')} | yes |`, /\| [\d.]+ \| yes \|/g],
  ])('is the only one in %s', (path, named, pattern) => {
    const text = readFileSync(resolve(__dirname, '../../..', path), 'utf8');
    expect(new Set(text.match(pattern))).toEqual(new Set([named]));
  });

  it('is that of the lock file', () => {
    expect([lock.version, lock.packages[''].version]).toEqual([manifest.version, manifest.version]);
  });
});
