// Pure: no server.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../../package.json';
import { LonghaulPlugin } from '../../../src/worker';
import { checkSdk, sdkCopies, sdkProblem, testedMinors } from '../../../src/worker/temporal-sdk';

const copy = (name: string, version: string, folder = `/app/node_modules/${name}`) => ({
  name: `@temporalio/${name}`,
  version,
  folder,
});

describe('testedMinors', () => {
  it('are those that package.json asks for', () => {
    const ranges = Object.entries(manifest.dependencies)
      .filter(([name]) => name.startsWith('@temporalio/'))
      .map(([, range]) => range);
    expect([...new Set(ranges)]).toEqual(testedMinors.map((minor) => `~${minor}.0`));
  });
});

describe('sdkProblem', () => {
  it.each(testedMinors)('takes one copy of %s', (minor) => {
    const copies = ['worker', 'workflow', 'common', 'workflow'].map((name) =>
      copy(name, `${minor}.7`),
    );
    expect(sdkProblem(copies)).toBeUndefined();
  });

  it('names both places of two copies, of one version too', () => {
    const copies = [copy('workflow', '1.24.0', '/app/a'), copy('workflow', '1.24.0', '/app/b')];
    expect(sdkProblem(copies)).toMatch(
      /two copies of @temporalio\/workflow: 1\.24\.0 in \/app\/a and 1\.24\.0 in \/app\/b/,
    );
  });

  it('names both packages of two versions', () => {
    const copies = [copy('worker', '1.24.0'), copy('common', '1.23.0')];
    expect(sdkProblem(copies)).toMatch(
      /differ in version: @temporalio\/worker 1\.24\.0 .* 1\.23\.0/,
    );
  });

  it.each(['1.23.0', '1.25.0', '2.24.0'])('refuses %s, which is not tested', (version) => {
    expect(sdkProblem([copy('worker', version)])).toMatch(/is not tested .* 1\.24/);
  });
});

describe('a project with a copy of its own', () => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-sdk-')));
  const workflowsPath = join(project, 'workflows.js');
  const folder = join(project, 'node_modules/@temporalio/workflow');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"version":"1.22.0"}');
  const refusal = expect.objectContaining({
    code: 'SdkMismatch',
    message: expect.stringContaining(folder) as string,
  }) as Error;

  it('is refused when the worker is configured, and when its bundle is built', () => {
    const plugin = new LonghaulPlugin();
    expect(() => plugin.configureWorker({ workflowsPath, taskQueue: 'q' })).toThrow(refusal);
    expect(() => plugin.configureBundler({ workflowsPath })).toThrow(refusal);
  });

  it('is not there when the workflows use the same as this package', () => {
    expect(() => checkSdk(sdkCopies(__filename))).not.toThrow();
    expect(sdkCopies()).toHaveLength(6);
  });
});
