// Pure: no server.
import * as longhaul from '../../../src';

const { errorCodes } = longhaul;

describe('longhaul', () => {
  it('exports definitions, the state machine and a class for every error code', () => {
    expect(Object.keys(longhaul).sort()).toEqual(
      [
        ...errorCodes,
        'AgentRun',
        'activityTool',
        'LonghaulError',
        'StreamedTurnAssembler',
        'abort',
        'criteria',
        'defineAgent',
        'defineCallbacks',
        'defineTool',
        'errorCodes',
        'foldLog',
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
