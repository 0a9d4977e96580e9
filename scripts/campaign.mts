// A campaign: one round after another, each from its seed, and what is wrong in the end.
//
// 1. A seed that fails ends nothing: the next one is run. In the end the command that repeats it is printed.

import type { parseArgs, ParseArgsConfig } from 'node:util';

export const campaignOptions = {
  seed: { type: 'string', default: '1' },
  minutes: { type: 'string', default: '2' },
  rounds: { type: 'string' },
  verbose: { type: 'boolean', default: false },
} as const satisfies ParseArgsConfig['options'];

type Values = ReturnType<typeof parseArgs<{ options: typeof campaignOptions }>>['values'];

export function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`--${name} must be a whole number, not '${text}'`);
}

export type Campaign<Report> = {
  /** Of the npm script. */
  readonly name: string;
  readonly values: Values;
  /** In ms. Default: the clock of this process. */
  readonly now?: () => number;
  readonly runRound: (seed: number, tell: (line: string) => void) => Promise<Report>;
  readonly printRound: (report: Report) => void;
  readonly printCampaign: (reports: readonly Report[]) => void;
  /** Arguments of the command that repeats a seed. Default: the seed alone. */
  readonly repeat?: (seed: number) => string;
  /** What is wrong with all of them together. */
  readonly wrongsOf?: (reports: readonly Report[]) => readonly string[];
};

/** Tells what happens, if somebody wants to read it. */
export function teller({ verbose }: Values, now: () => number): (line: string) => void {
  const start = now();
  return (line) => {
    if (verbose === true) console.log(`${((now() - start) / 1_000).toFixed(1)} s: ${line}`);
  };
}

const again = (seed: number): string => `--seed ${seed} --rounds 1`;

/** Whether nothing was wrong. */
export async function campaign<Report extends { readonly wrongs: readonly string[] }>({
  name,
  values,
  now = Date.now,
  runRound,
  printRound,
  printCampaign,
  repeat = again,
  wrongsOf = () => [],
}: Campaign<Report>): Promise<boolean> {
  const { seed: first = '1', minutes = '2', rounds: count } = values;
  const start = now();
  const firstSeed = wholeNumber('seed', first);
  const most = count === undefined ? Infinity : wholeNumber('rounds', count);
  const longest = count === undefined ? wholeNumber('minutes', minutes) * 60_000 : Infinity;
  const tell = teller(values, now);
  const reports: Report[] = [];
  const failed: number[] = [];
  for (let seed = firstSeed; seed < firstSeed + most; seed += 1) {
    if (seed > firstSeed && now() > start + longest) break;
    try {
      const report = await runRound(seed, tell);
      printRound(report);
      reports.push(report);
      if (report.wrongs.length > 0) failed.push(seed);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      console.log(`  WRONG (seed ${seed}): the round did not begin or end: ${text}`);
      failed.push(seed);
    }
  }
  printCampaign(reports);
  const wrongs = wrongsOf(reports);
  for (const wrong of wrongs) console.log(`WRONG: ${wrong}`);
  failed.forEach((seed) => console.log(`repeat it: npm run ${name} -- ${repeat(seed)}`));
  return failed.length + wrongs.length === 0;
}
