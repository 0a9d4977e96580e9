// Pure: no server. Counts work instead of measuring time.
import { AgentRun } from '../../../../src/agent-run';
import { foldLog } from '../../../../src/core/transcript/fold-log';
import { call, result, turn } from '../builders';

describe('A long run', () => {
  it('adds the same few entries every turn, and builds no request nobody reads', () => {
    const turns = 1_000;
    const run = new AgentRun('go', { maxTurns: turns + 1 });
    const first = run.nextStep();
    for (let at = 1; at <= turns; at += 1) {
      run.modelResponse(turn([call(`c${at}`)]));
      run.nextStep();
      run.toolResults([result(`c${at}`)]);
      run.nextStep();
      expect(run.log).toHaveLength(1 + 2 * at);
    }

    expect(Object.getOwnPropertyDescriptor(first, 'history')?.get).toBeDefined();
    expect(run.messages).toHaveLength(1 + 2 * turns);
    expect(foldLog(run.log)).toEqual(run.fullHistory());
    expect(run.nextStep()).toMatchObject({ kind: 'call-model', turn: turns + 1 });
  });
});
