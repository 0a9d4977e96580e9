// What a process holds, and whether that grows.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export type Measured = {
  readonly rss: number;
  readonly heapUsed: number;
  /** Buffers beside the heap. */
  readonly external: number;
  /** Timers, sockets and other handles that keep the process alive. */
  readonly resources: number;
};

export function measureProcess(): Measured {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  // What a finaliser lets go of is collected by the second.
  collectGarbage();
  collectGarbage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed, external, resources: process.getActiveResourcesInfo().length };
}

export type Sample = Measured & { readonly seconds: number };

type Allowed = { readonly share: number; readonly least: number };

const MB = 1_000_000;
/** How much the second half of a soak may add: a share of the median, and what little always comes and goes. */
const allowed: Readonly<Record<keyof Measured, Allowed>> = {
  rss: { share: 0.1, least: 32 * MB },
  heapUsed: { share: 0.05, least: 8 * MB },
  external: { share: 0.05, least: 16 * MB },
  resources: { share: 0.2, least: 10 },
};

export type Growth = {
  readonly what: keyof Measured;
  readonly least: number;
  readonly median: number;
  readonly most: number;
  /** Over the second half, by the median of all slopes: single outliers do not count. */
  readonly growth: number;
  readonly allowed: number;
  readonly perHour: number;
};

export function growthOf(samples: readonly Sample[]): readonly Growth[] {
  const half = samples.slice(Math.floor(samples.length / 2));
  const seconds = (half.at(-1)?.seconds ?? 0) - (half[0]?.seconds ?? 0);
  return (Object.keys(allowed) as (keyof Measured)[]).map((what) => {
    const values = half.map((sample) => sample[what]);
    const slope = medianSlope(half, what);
    const { share, least } = allowed[what];
    return {
      what,
      least: Math.min(...values),
      median: median(values),
      most: Math.max(...values),
      growth: slope * seconds,
      allowed: Math.max(least, share * median(values)),
      perHour: slope * 3_600,
    };
  });
}

function medianSlope(samples: readonly Sample[], what: keyof Measured): number {
  const slopes = samples.flatMap((one, index) =>
    samples
      .slice(index + 1)
      .map((other) => (other[what] - one[what]) / Math.max(1, other.seconds - one.seconds)),
  );
  return median(slopes);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
