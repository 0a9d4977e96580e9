// Pure: no server. What a plan adds up stays small, however many runs it called.
import { noTotals, RunningTotals } from '../../../../src/core/orchestration/child-results';
import { limits } from '../../../../src/protocol/limits';
import { aResult } from './plan-builders';

describe('the warnings of many runs', () => {
  it('are the first ones, cut, and how many more there were, over continue-as-new, too', () => {
    const result = aResult('done', {}, { warnings: ['x'.repeat(10_000)] });
    let totals = new RunningTotals(noTotals);
    for (let branch = 0; branch < 5_000; branch += 1) {
      totals.add(`branch-${branch}`, result);
      if (branch === 2_000) totals = new RunningTotals(totals.toJSON());
    }
    const { warnings = [] } = totals.fields;
    expect(warnings).toHaveLength(limits.warnings + 1);
    expect(warnings.at(0)).toMatch(/^branch-0: x+/);
    expect(warnings.at(-1)).toBe('and 4900 more warnings: read them from the child runs');
    expect(JSON.stringify(totals).length).toBeLessThan(limits.warnings * limits.warning * 1.1);
  });
});
