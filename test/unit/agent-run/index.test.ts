// Pure: no server.
import * as entry from '../../../src/agent-run';

describe('longhaul/agent-run', () => {
  it('exports the machine, the assembler of streams and the fold of a log', () => {
    expect(Object.keys(entry).sort()).toEqual(['AgentRun', 'StreamedTurnAssembler', 'foldLog']);
  });
});
