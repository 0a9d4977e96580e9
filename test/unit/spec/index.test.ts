// Pure: no server.
import * as longhaul from '../../../src';

describe('longhaul', () => {
  it('exports definitions, the state machine and the errors', () => {
    expect(Object.keys(longhaul).sort()).toEqual([
      'AgentRun',
      'CallbackAbort',
      'InvalidToolCall',
      'LonghaulError',
      'MaxIterationsExceeded',
      'MaxTurnsExceeded',
      'ProtocolError',
      'ProviderError',
      'RunCancelled',
      'StateError',
      'StreamedTurnAssembler',
      'TurnCut',
      'criteria',
      'defineAgent',
      'defineTool',
      'errorCodes',
      'foldLog',
      'hasCode',
    ]);
  });
});
