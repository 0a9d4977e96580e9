// Pure: no server. What plans hold when a run continues as new, and what tasks are given, has a bound.
import { jsonBytes } from '../../../../src/core/transcript/fit-texts';
import type { OrchestrationConfig } from '../../../../src/protocol/activities';
import { limits } from '../../../../src/protocol/limits';
import { aGraph, aParallel, aResult, aTask, complete, restored, start } from './plan-builders';

const names = Array.from({ length: 30 }, (_, index) => `t${index}`);
const long = 'x'.repeat(20_000);

describe('a plan that is shortened', () => {
  it.each<{ name: string; config: OrchestrationConfig; first: string; combined: string[] }>([
    { name: 'parallel', config: aParallel(names), first: 'branch-1', combined: names },
    {
      name: 'graph with several ends',
      config: aGraph(...names.map((id) => aTask(id))),
      first: 't0',
      combined: names,
    },
  ])('$name: keeps short texts and heads, and completes', ({ config, first, combined }) => {
    const plan = start(config);
    const keys = plan.ready.map(({ key }) => key);
    const last = keys.at(-1) ?? '';
    for (const key of keys.slice(0, -1))
      complete(plan, key, aResult(key === first ? 'short' : long));
    plan.shorten(100_000);
    plan.shorten(50_000);
    expect(jsonBytes(plan)).toBeLessThan(60_000);
    const next = restored(config, plan);
    complete(next, last, aResult('the end'));
    const { outcome } = next;
    if (outcome?.kind !== 'complete') throw new Error('it is not complete');
    const texts = Object.values(
      JSON.parse(outcome.result.combinedText ?? '') as Record<string, string>,
    );
    expect(texts).toHaveLength(combined.length);
    expect([texts[0], texts.at(-1)]).toEqual(['short', 'the end']);
    expect(texts[1]).toMatch(/^x{1000}.*\n\[cut: the first \d+ of 20000 bytes are shown\]$/);
  });

  it('leaves what fits as it is', () => {
    const plan = start(aParallel(names));
    complete(plan, 'branch-1', aResult(long));
    const before = JSON.stringify(plan);
    plan.shorten(limits.result);
    expect(JSON.stringify(plan)).toBe(before);
  });
});

it.each(['go', [{ type: 'text' as const, text: 'go' }]])(
  'a task that depends on many gets as much of them as an input may have',
  (input) => {
    const plan = start(aGraph(...names.map((id) => aTask(id)), aTask('all', names)), {}, input);
    for (const id of names) complete(plan, id, aResult('"'.repeat(20_000)));
    const bytes = jsonBytes(plan.ready[0]?.input);
    expect(bytes).toBeLessThanOrEqual(limits.input);
    expect(bytes).toBeGreaterThan(limits.input * 0.9);
  },
);
