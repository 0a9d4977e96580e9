// A section of bench/RESULTS.md: what measures it, and what it found. `npm run bench` runs the sections of bench/main.mts.

export type Section = {
  /** What `--only` takes. */
  readonly name: string;
  readonly title: string;
  /** True if the server has no part in the figures: it is measured on the dev server only. */
  readonly anyServer?: boolean;
  readonly run: (bench: Bench) => Promise<Findings>;
};

/** What a section is given. */
export type Bench = {
  readonly address: string;
  /** How often every contestant is measured; 1 if `isQuick`. */
  readonly rounds: number;
  /** A smoke test: the section ends within some ten seconds. */
  readonly isQuick: boolean;
};

export type Findings = {
  /** The keys of the first row are the columns. A number is shown with three figures; pass a text to decide yourself. */
  readonly rows: readonly Row[];
  readonly targets?: readonly Target[];
  /** Sentences below the table: what was counted, from where to where. */
  readonly notes?: readonly string[];
};

export type Row = Readonly<Record<string, string | number>>;

export type Aim = { readonly atMost: number } | { readonly atLeast: number };

export type Target = {
  /** What the figure says, for instance `latency of an inline turn, × bare`. */
  readonly measure: string;
  readonly least: number;
  /** Without it there was only one measurement. */
  readonly median?: number;
  readonly aim: Aim;
};

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/**
 * Measures every contestant once in each round, in turn, so that a slow minute of the machine meets all of them. The rounds before the
 * first one warm up.
 */
export async function inRounds<Contestant, Sample>(
  contestants: readonly Contestant[],
  { rounds, warmUps = 1 }: { readonly rounds: number; readonly warmUps?: number },
  measure: (contestant: Contestant) => Promise<Sample>,
): Promise<ReadonlyMap<Contestant, readonly Sample[]>> {
  const samples = new Map(contestants.map((contestant) => [contestant, [] as Sample[]]));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [contestant, kept] of samples) {
      const sample = await measure(contestant);
      if (round >= 0) kept.push(sample);
    }
  }
  return samples;
}

/** How many times `figures` is `others`: by the least and by the median of each. */
export function ratioOf(
  figures: readonly number[],
  others: readonly number[],
): { readonly least: number; readonly median: number } {
  return {
    least: Math.min(...figures) / Math.min(...others),
    median: median(figures) / median(others),
  };
}

/** No target if one of the two was not measured. */
export function ratioTarget(
  measure: string,
  [figures, others]: readonly [readonly number[] | undefined, readonly number[] | undefined],
  aim: Aim,
): readonly Target[] {
  return figures && others ? [{ measure, ...ratioOf(figures, others), aim }] : [];
}
