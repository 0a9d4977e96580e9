// Pure: no server.
import { ByteGate } from '../../../../src/stores/results/byte-gate';

/** Work that goes on until it is told to end. */
function works(gate: ByteGate) {
  const begun: string[] = [];
  const end: Record<string, () => void> = {};
  const hold = (name: string, bytes: number, signal?: AbortSignal): Promise<string> =>
    gate.hold(bytes, signal, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => (end[name] = resolve));
      return name;
    });
  return { begun, end, hold };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('lets begin what fits, and the others in the order in which they came', async () => {
  const { begun, end, hold } = works(new ByteGate(10));
  const all = [hold('a', 6), hold('b', 6), hold('c', 1)];
  await settled();
  // The small one does not overtake: else the large one might never begin.
  expect(begun).toEqual(['a']);
  end['a']?.();
  await settled();
  expect(begun).toEqual(['a', 'b', 'c']);
  end['b']?.();
  end['c']?.();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
});

it('gives all of it to work that needs more', async () => {
  const { begun, end, hold } = works(new ByteGate(10));
  const large = hold('large', 1_000);
  const small = hold('small', 1);
  await settled();
  expect(begun).toEqual(['large']);
  end['large']?.();
  await large;
  await settled();
  end['small']?.();
  expect(await small).toBe('small');
});

it('frees what failed work held, and forgets who does not wait any more', async () => {
  const gate = new ByteGate(10);
  const { begun, end, hold } = works(gate);
  const failing = gate.hold(10, undefined, async () => {
    await settled();
    throw new Error('no answer');
  });
  const gone = new AbortController();
  const waiting = [hold('gone', 10, gone.signal), hold('next', 10)];
  gone.abort(new Error('cancelled'));
  await expect(waiting[0]).rejects.toThrow('cancelled');
  await expect(failing).rejects.toThrow('no answer');
  await settled();
  expect(begun).toEqual(['next']);
  end['next']?.();
  await waiting[1];
  const late = AbortSignal.abort(new Error('too late'));
  await expect(hold('late', 1, late)).rejects.toThrow('too late');
});
