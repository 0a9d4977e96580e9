// Pure: no server.
import * as longhaul from '../../../src';

const { errorCodes } = longhaul;

describe('longhaul', () => {
  it('exports definitions and a class for every error code', () => {
    expect(Object.keys(longhaul).sort()).toEqual(
      [
        ...errorCodes,
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
