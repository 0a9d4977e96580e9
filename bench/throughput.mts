// How many turns a second one worker makes when many agents run at once, each of them ten turns.
import type { Answer } from './answer-commands.mts';
import { type ContestantName, type Measured, withMeasured } from './measured.mts';
import { type Bench, inRounds, median, ratioTarget, type Row, type Section } from './section.mts';

const names = ['bare', 'longhaul', 'longhaul-inline', 'ai-sdk'] as const;
const turns = 10;
/** At 10 agents its turns a second are as many as they become, and 200 agents take more than a minute. */
const mostAgents: Partial<Record<ContestantName, number>> = { 'ai-sdk': 50 };
/** The number of agents for which there is a target. */
const usualAgents = 50;

export const throughput: Section = {
  name: 'throughput',
  title: 'Throughput',
  run: async (bench) =>
    await withMeasured(names, bench.address, async (contestants) => {
      const rows: Row[] = [];
      let usual: ReadonlyMap<string, readonly number[]> = new Map();
      for (const agents of bench.isQuick ? [10] : [1, 10, usualAgents, 200]) {
        const measured = await measure(contestants, bench, agents);
        if (agents === usualAgents) usual = measured;
        rows.push(...[...measured].map(([name, seconds]) => rowOf(agents, name, seconds)));
      }
      return {
        rows,
        targets: ratioTarget(
          `turns a second of ${usualAgents} inline agents, × bare`,
          [usual.get('bare'), usual.get('longhaul-inline')],
          { atLeast: 1.2 },
        ),
        notes: [
          'All agents start at once, on one worker process with the default settings; the client is in the same process. The time is that until the last has ended.',
          `${turns} turns each. 200 agents, and 50 of ai-sdk: one round.`,
        ],
      };
    }),
};

const isPeer = ({ name }: Measured): boolean => name === 'ai-sdk';

/** Seconds of every round, by contestant. */
async function measure(
  contestants: readonly Measured[],
  { rounds }: Bench,
  agents: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const able = contestants.filter(({ name }) => agents <= (mostAgents[name] ?? Infinity));
  const how =
    agents > usualAgents ? { rounds: 1, warmUps: 0 } : { rounds, warmUps: agents === 1 ? 1 : 0 };
  const ask = (one: Measured): Promise<Answer> => one.ask({ kind: 'turns', turns, runs: agents });
  const [own, peers] = [able.filter((one) => !isPeer(one)), able.filter(isPeer)];
  const samples = [
    ...(await inRounds(own, how, ask)),
    // Too slow for more rounds, and no target is beside it.
    ...(await inRounds(peers, { rounds: agents >= usualAgents ? 1 : rounds, warmUps: 0 }, ask)),
  ];
  return new Map(samples.map(([{ name }, answers]) => [name, answers.map(({ ms }) => ms / 1_000)]));
}

function rowOf(agents: number, name: string, seconds: readonly number[]): Row {
  return {
    agents,
    '': name,
    'turns a second, most': (agents * turns) / Math.min(...seconds),
    'turns a second, median': (agents * turns) / median(seconds),
    'until the last ended, s, median': median(seconds),
  };
}
