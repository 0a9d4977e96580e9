// Pure: no server. What Node keeps of an attempt that is over.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { anySignal } from '../../../src/activities/any-signal';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** An attempt with a listener that reaches its own sources, and never removes itself. */
function listened(join: (sources: readonly AbortSignal[]) => AbortSignal): WeakRef<object> {
  const asked = new AbortController();
  const prompt = { asked };
  const signal = join([asked.signal, new AbortController().signal]);
  signal.addEventListener('abort', () => prompt.asked.abort(), { once: true });
  return new WeakRef(prompt);
}

async function keptOf(join: (sources: readonly AbortSignal[]) => AbortSignal): Promise<number> {
  const attempts = Array.from({ length: 20 }, () => listened(join));
  for (let round = 0; round < 3; round += 1) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  return attempts.filter((attempt) => attempt.deref() !== undefined).length;
}

describe('a signal of an attempt', () => {
  it('lets go of what listened, which AbortSignal.any does not', async () => {
    expect(await keptOf(anySignal)).toBe(0);
    expect(await keptOf((sources) => AbortSignal.any([...sources]))).toBe(20);
  });

  it('aborts with the first of its sources, for its reason', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const signal = anySignal([one.signal, other.signal]);
    const late = new Error('late');
    other.abort(late);
    one.abort(new Error('later'));
    expect([signal.aborted, signal.reason]).toEqual([true, late]);
    expect(anySignal([new AbortController().signal, other.signal]).reason).toBe(late);
  });
});
