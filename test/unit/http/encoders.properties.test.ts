// Pure: no server. Who watches live, comes later or comes again gets the same messages, in each protocol: by random runs, with a connection
// that breaks at every place. LONGHAUL_ENCODERS_SECONDS: for how long, 6 by default. LONGHAUL_ENCODERS_SEED: another seed.
import fc from 'fast-check';
import { agUiClient, aiSdkClient, type Client, Cut, plainClient } from './random-clients';
import { type Plan, plan, World } from './random-world';

const seconds = Number(process.env['LONGHAUL_ENCODERS_SECONDS'] ?? '6');
const seed = Number(process.env['LONGHAUL_ENCODERS_SEED'] ?? '20261126');
const clients = [plainClient, aiSdkClient, agUiClient];
const share = (seconds * 1_000) / clients.length;

/** Plays the plan for a client whose connection breaks after so many frames. Returns how many frames came. */
async function play(client: Client, given: Plan, at: number): Promise<number> {
  const world = new World(given);
  const cut = new Cut(at);
  const page = client.open(world, cut);
  await page.settle();
  for (;;) {
    const late = client.reload(world);
    await late.settle();
    const [shown, reloaded] = [page.shown, late.shown];
    // Equal as JSON text, which is quick; the matcher is only asked for the difference.
    if (JSON.stringify(shown) !== JSON.stringify(reloaded))
      expect({ at, shown }).toEqual({ at, shown: reloaded });
    if (world.hasEnded) return cut.frames;
    await page.answer();
  }
}

/** The client of AG-UI warns of the end of a call that a lost attempt made. */
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterAll(() => void jest.restoreAllMocks());

describe('who watches live, comes later or comes again gets the same messages', () => {
  it.each(clients)(
    'of $name',
    async (client) => {
      const until = performance.now() + share;
      const isOver = (): boolean => performance.now() > until;
      let [plans, cuts] = [0, 0];
      const property = fc.asyncProperty(plan, async (given) => {
        if (isOver()) return;
        const frames = await play(client, given, Infinity);
        for (let at = 0; at < frames && !isOver(); at += 1) {
          await play(client, given, at);
          cuts += 1;
        }
        plans += 1;
      });
      await fc.assert(property, { seed, numRuns: 1_000_000, interruptAfterTimeLimit: share });
      if (seconds > 6) process.stdout.write(`${client.name}: ${plans} runs, ${cuts} cuts\n`);
      expect(cuts).toBeGreaterThan(0);
    },
    share + 60_000,
  );
});
