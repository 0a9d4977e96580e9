import fc from 'fast-check';

/** What happens to one of two runs that are served by two worker processes. */
export type LogStep =
  /** An attempt makes an entry after `lost` attempts whose completion was lost. */
  | {
      readonly kind: 'turn' | 'result';
      readonly run: number;
      readonly worker: number;
      readonly size: number;
      readonly lost: number;
    }
  /** The workflow adds an entry itself. */
  | { readonly kind: 'own'; readonly run: number; readonly size: number }
  /** A model call: it reads the log, by a ref without a tail if `whole`. Its query may fail. */
  | {
      readonly kind: 'read';
      readonly run: number;
      readonly worker: number;
      readonly whole: boolean;
      readonly failsAfter?: number;
    }
  /** Another attempt, or one that was thought dead, reads by an earlier ref. */
  | {
      readonly kind: 'read-again';
      readonly run: number;
      readonly worker: number;
      readonly ref: number;
    }
  | { readonly kind: 'reset'; readonly run: number; readonly to: number }
  | { readonly kind: 'restart'; readonly worker: number }
  /** One page comes, or all that are under way. */
  | { readonly kind: 'progress'; readonly whole: boolean };

export type Script = {
  readonly steps: readonly LogStep[];
  readonly logCacheBytes: number;
  readonly pageBytes: number;
};

const run = fc.nat({ max: 1 });
const worker = fc.nat({ max: 1 });
const size = fc.constantFrom(1, 100, 3_000);

const entry = fc.record({
  kind: fc.constantFrom('turn' as const, 'result' as const),
  run,
  worker,
  size,
  lost: fc.nat({ max: 2 }),
});
const own = fc.record({ kind: fc.constant('own' as const), run, size });
const read = fc.record(
  {
    kind: fc.constant('read' as const),
    run,
    worker,
    whole: fc.boolean(),
    failsAfter: fc.nat({ max: 2 }),
  },
  { requiredKeys: ['kind', 'run', 'worker', 'whole'] },
);
const readAgain = fc.record({
  kind: fc.constant('read-again' as const),
  run,
  worker,
  ref: fc.nat(),
});
const reset = fc.record({ kind: fc.constant('reset' as const), run, to: fc.nat() });
const restart = fc.record({ kind: fc.constant('restart' as const), worker });
const progress = fc.record({ kind: fc.constant('progress' as const), whole: fc.boolean() });

export const script: fc.Arbitrary<Script> = fc.record({
  steps: fc.array(
    fc.oneof(
      { weight: 5, arbitrary: entry },
      { weight: 2, arbitrary: own },
      { weight: 5, arbitrary: read },
      { weight: 2, arbitrary: readAgain },
      { weight: 2, arbitrary: reset },
      { weight: 1, arbitrary: restart },
      { weight: 4, arbitrary: progress },
    ),
    { maxLength: 40, size: 'max' },
  ),
  logCacheBytes: fc.constantFrom(1, 2_000, 8_000, 1_000_000),
  pageBytes: fc.constantFrom(1, 500, 400_000),
});
