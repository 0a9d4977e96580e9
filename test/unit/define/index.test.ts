// Pure: no server.
import * as longhaul from '../../../src';

describe('longhaul', () => {
  it('exports definitions and the error classes with fields', () => {
    expect(Object.keys(longhaul).sort()).toEqual(
      [
        'CallbackAbort',
        'InvalidToolCall',
        'MaxIterationsExceeded',
        'MaxTurnsExceeded',
        'ProviderError',
        'RunCancelled',
        'TurnCut',
        'activityTool',
        'LonghaulError',
        'abort',
        'criteria',
        'defineAgent',
        'defineCallbacks',
        'defineTool',
        'errorCodes',
        'graph',
        'hasCode',
        'mcpTools',
        'loadSpec',
        'loggingCallbacks',
        'overrideResponse',
        'parallel',
        'sequential',
        'specFileSchema',
        'subAgent',
        'toSpecText',
      ].sort(),
    );
  });
});
