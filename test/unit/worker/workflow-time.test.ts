// Pure: no server.
import { LonghaulPlugin } from '../../../src/worker';
import { workflowTime } from '../../../src/worker/workflow-time';

describe('workflowTime', () => {
  it.each([
    ['22.12.0', '1 minute'],
    ['23.11.1', '1 minute'],
    ['24.0.0', undefined],
    ['26.1.0', undefined],
  ])('of a worker on Node %s is %s', (version, expected) => {
    expect(workflowTime({}, version).isolateExecutionTimeout).toBe(expected);
  });

  it('has no limit where somebody debugs', () => {
    expect(workflowTime({ debugMode: true }, '22.12.0')).toEqual({});
  });

  it('is what the plugin gives a worker that sets none', () => {
    const plugin = new LonghaulPlugin({ runners: [] });
    const own = { isolateExecutionTimeout: '7s' };
    expect(plugin.configureWorker({ taskQueue: 'q' })).toMatchObject(workflowTime({}));
    expect(plugin.configureWorker({ taskQueue: 'q', ...own })).toMatchObject(own);
  });
});
