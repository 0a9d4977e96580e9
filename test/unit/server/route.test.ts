// Pure: no server.
import { hasCode } from '../../../src/protocol/errors';
import { firstRoute, type Route } from '../../../src/server/machine/search-path';

function failing(name: string, reason: string): Route {
  return { name, find: () => Promise.reject(new Error(reason)) };
}

describe('firstRoute', () => {
  it('takes the first route that works and does not try the later ones', async () => {
    const later = jest.fn(() => '/late');
    const routes = [
      failing('PATH', 'not there'),
      { name: 'cache', find: () => '/cache/tool' },
      { name: 'download', find: later },
    ];
    expect(await firstRoute('the tool', routes, 'Install it.')).toEqual({
      path: '/cache/tool',
      route: 'cache',
    });
    expect(later).not.toHaveBeenCalled();
  });

  it('says what was tried, why each failed and how to install when none works', async () => {
    const routes = [failing('PATH', 'not there'), failing('download', 'no network')];
    const error: unknown = await firstRoute('the tool', routes, 'Install it.').catch(
      (e: unknown) => e,
    );
    expect(hasCode(error, 'ServerUnavailable') && [error.message, error.details]).toEqual([
      'Cannot find the tool. Tried:\n  - PATH: not there\n  - download: no network\nInstall it.',
      {
        failures: [
          { route: 'PATH', reason: 'not there' },
          { route: 'download', reason: 'no network' },
        ],
      },
    ]);
  });
});
