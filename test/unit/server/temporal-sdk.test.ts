// Pure: no server.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../../package.json';
import { LonghaulPlugin } from '../../../src/worker';
import {
  checkSdk,
  fitsPrebuiltBundle,
  sdkCopies,
  sdkPart,
  sdkProblem,
  untestedSdk,
} from '../../../src/server/temporal-sdk';
import { newestMinor, testedMinors } from '../../../src/protocol/peers';

const copy = (name: string, version: string, folder = `/app/node_modules/${name}`) => ({
  name: `@temporalio/${name}`,
  version,
  folder,
});

describe('testedMinors', () => {
  const temporal = (packages: object): unknown[] => [
    ...new Set(
      Object.entries(packages).flatMap(([name, range]: [string, unknown]) =>
        name.startsWith('@temporalio/') ? [range] : [],
      ),
    ),
  ];

  it('begin the range of package.json, without a gap', () => {
    const minors = testedMinors.map((minor) => Number(minor.split('.')[1]));
    const [oldest = 0] = minors;
    expect(minors).toEqual(minors.map((_, index) => oldest + index));
    expect(temporal(manifest.peerDependencies)).toEqual([`>=1.${oldest}.0 <2`]);
  });

  it('end with the one that is installed here, which builds the workflow bundle', () => {
    expect(newestMinor).toBe(testedMinors.at(-1));
    expect(temporal(manifest.devDependencies)).toEqual([`~${newestMinor}.0`]);
  });
});

describe('fitsPrebuiltBundle', () => {
  it('is false for a worker of another minor version', () => {
    expect(fitsPrebuiltBundle([copy('worker', '1.24.9')])).toBe(true);
    expect(fitsPrebuiltBundle([copy('worker', '1.23.0')])).toBe(false);
    expect(fitsPrebuiltBundle([copy('worker', '1.25.0')])).toBe(false);
    expect(fitsPrebuiltBundle([copy('worker', '2.24.0')])).toBe(false);
  });

  it('is false where no version can be read', () => {
    expect(fitsPrebuiltBundle([])).toBe(false);
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
      /twice: @temporalio\/workflow 1\.24\.0 in \/app\/a, and @temporalio\/workflow 1\.24\.0 in \/app\/b\./,
    );
  });

  it('names both packages of two versions', () => {
    const copies = [copy('worker', '1.24.0'), copy('common', '1.23.0')];
    expect(sdkProblem(copies)).toMatch(
      /twice: @temporalio\/worker 1\.24\.0 in .*worker, and @temporalio\/common 1\.23\.0 in .*common\./,
    );
  });

  it.each(['1.22.0', '1.9.0', '2.24.0', '0.24.0'])('refuses %s', (version) => {
    expect(sdkProblem([copy('worker', version)])).toMatch(
      `Longhaul does not run with @temporalio/worker ${version} in /app/node_modules/worker. It needs version 1.23 or later, below 2.`,
    );
  });

  it.each(['1.25.0', '1.26.1', '1.100.0'])('takes %s, which is newer', (version) => {
    expect(sdkProblem([copy('worker', version), copy('workflow', version)])).toBeUndefined();
  });

  it('refuses a newer worker with older workflows', () => {
    const copies = [copy('worker', '1.25.0'), copy('workflow', '1.24.0')];
    expect(sdkProblem(copies)).toMatch(/1\.25\.0 in .* 1\.24\.0 in /);
  });
});

describe('untestedSdk', () => {
  it.each(['1.23.4', '1.24.9'])('says nothing of %s', (version) => {
    expect(untestedSdk([copy('worker', version)])).toBeUndefined();
  });

  it('names a newer version, and the newest tested one', () => {
    expect(untestedSdk([copy('worker', '1.25.0')])).toBe(
      "Temporal's SDK 1.25.0 is newer than 1.24, the newest that this Longhaul is tested with",
    );
  });
});

describe('sdkPart', () => {
  it.each([
    'loadDataConverter',
    'encodeToPayload',
    'decodeOptionalFailureToOptionalError',
    'ExternalStorageRunner',
  ] as const)('finds %s in the installed version', (name) => {
    expect(sdkPart(name)).toEqual(expect.any(Function));
  });

  it.each([
    ['the part', () => ({})],
    [
      'the module',
      () => {
        throw new Error('Package subpath is not defined by "exports"');
      },
    ],
  ])('says what to install where a newer version has no more %s', (_, load) => {
    expect(() => sdkPart('loadDataConverter', load)).toThrow(
      expect.objectContaining({
        code: 'SdkMismatch',
        message:
          '@temporalio/common no longer has loadDataConverter, which Longhaul uses. Install 1.24 of all @temporalio packages, or a newer Longhaul.',
      }) as Error,
    );
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
    expect(sdkCopies()).toHaveLength(8);
  });
});
