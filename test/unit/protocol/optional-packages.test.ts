// Pure: no server.
import { loadOptional, type OptionalPackage } from '../../../src/protocol/optional-packages';
import manifest from '../../../package.json';

function notFound(module: string): Error {
  return Object.assign(new Error(`Cannot find module '${module}'\nRequire stack:\n- here.js`), {
    code: 'MODULE_NOT_FOUND',
  });
}

const optional = Object.entries(manifest.peerDependenciesMeta)
  .filter(([, { optional }]) => optional)
  .map(([name]) => name as OptionalPackage)
  .filter((name) => !name.startsWith('@temporalio/'));

describe('loadOptional', () => {
  it('gives what was loaded', () => {
    expect(loadOptional('pg', () => 7)).toBe(7);
  });

  it.each(optional)('says which command installs %s, in a version that is tested', (name) => {
    const range = (manifest.peerDependencies as Record<string, string>)[name] ?? '';
    const major = /^\^(\d+)\./.exec(range)?.[1];
    const load = () => {
      throw notFound(`${name}/some/part.js`);
    };

    expect(() => loadOptional(name, load)).toThrow(
      expect.objectContaining({
        code: 'PackageMissing',
        retryable: false,
        details: { package: name },
        message: expect.stringMatching(
          new RegExp(`needs the package ${name}, .*run \`npm install ${name}@${major}\`$`),
        ) as string,
      }) as Error,
    );
  });

  it.each([
    ['a module that the package itself misses', notFound('ws')],
    ['a package whose name only begins alike', notFound('openai-edge')],
    ['a fault of the package', new TypeError('x is not a function')],
  ])('passes on %s', (_, error) => {
    const load = () => {
      throw error;
    };

    expect(() => loadOptional('openai', load)).toThrow(error);
  });
});
