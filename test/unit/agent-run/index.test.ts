// Pure: no server.
import * as entry from '../../../src/agent-run';

describe('longhaul/agent-run', () => {
  it('exports the loop, the assembler of streams, the fold of a log and its errors', () => {
    expect(Object.keys(entry).sort()).toEqual([
      'AgentRun',
      'CallbackAbort',
      'InvalidToolCall',
      'MaxIterationsExceeded',
      'MaxTurnsExceeded',
      'RunCancelled',
      'StreamedTurnAssembler',
      'TurnCut',
      'foldLog',
    ]);
  });
});
