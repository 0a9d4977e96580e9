// Pure: no server.
import * as longhaul from '../../../src';

describe('longhaul', () => {
  it('exports what definitions need, and the errors', () => {
    expect(Object.keys(longhaul).sort()).toEqual(
      [
        'ProviderError',
        'activityTool',
        'LonghaulError',
        'abort',
        'criteria',
        'defineAgent',
        'defineCallbacks',
        'defineTool',
        'graph',
        'hasCode',
        'mcpTools',
        'observePauses',
        'openTelemetry',
        'loadSpec',
        'loggingCallbacks',
        'overrideResponse',
        'parallel',
        'sequential',
        'specFileSchema',
        'subAgent',
        'toSpecText',
        'toolContent',
      ].sort(),
    );
  });
});
