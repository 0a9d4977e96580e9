// Pure: no server.
import { keyHashes } from '../../../../src/core/key-hashes';
import { RunPosition } from '../../../../src/workflows/run/run-position';

const ids = { workflowId: 'run', firstExecutionRunId: 'one', originalExecutionRunId: 'one' };
const ada = { userId: 'ada' };
const inShop = keyHashes({ appName: 'shop', ...ada });

function shownKey(
  start: { readonly key?: object; readonly application?: string },
  memo?: Record<string, unknown>,
  taskQueue = 'shop',
): readonly string[] | undefined {
  const info = { ...ids, taskQueue, memo } as ConstructorParameters<typeof RunPosition>[1];
  return new RunPosition({ runner: 'agent', ...start }, info).lineage.key;
}

describe('the key that a run shows', () => {
  it('names the application that its memo names, on workers of any task queue', () => {
    const memo = { longhaul: { agent: 'agent', key: inShop } };
    expect(shownKey({ key: ada }, memo)).toEqual(inShop);
    expect(shownKey({ key: ada }, memo, 'elsewhere')).toEqual(inShop);
  });

  it('names none if its memo names none, as 0.2.0 began it', () => {
    const memo = { longhaul: { agent: 'agent', key: keyHashes(ada) } };
    expect(shownKey({ key: ada }, memo)).toEqual(keyHashes(ada));
    expect(shownKey({ key: ada, application: 'shop' }, memo)).toEqual(keyHashes(ada));
  });

  it.each([[null], [[]], ['app'], [['app-forged']], [[{}]]])(
    'names none if its memo has the key %j',
    (key) => {
      expect(shownKey({ key: ada }, { longhaul: { key } })).toEqual(keyHashes(ada));
    },
  );

  it('names the application or the task queue if it began without a memo', () => {
    expect(shownKey({ key: ada })).toEqual(inShop);
    expect(shownKey({ key: ada, application: 'shop' }, {}, 'queue')).toEqual(inShop);
  });

  it('is what the key says if it names an application', () => {
    const memo = { longhaul: { key: keyHashes({ appName: 'other' }) } };
    expect(shownKey({ key: { appName: 'shop', ...ada } }, memo)).toEqual(inShop);
    expect(shownKey({}, memo)).toBeUndefined();
  });
});
