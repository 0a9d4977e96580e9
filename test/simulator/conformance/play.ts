// Plays one script on an engine.

import type { Json } from 'longhaul';
import { type Lines, masked, readHistories } from './histories';
import { ended, Kit, type Place, type Script } from './kit';

/** The most that a script may take. */
const longestMs = 100_000;

/** What a script comes to: its result, and the events of its histories. */
export type Played = { readonly result: Json; readonly histories: Lines };

export type Playing = {
  readonly result: Json;
  /** What histories say by now. Some of it may be under way when the script ends. */
  readonly histories: () => Promise<Lines>;
  /** Ends what the script left open. */
  readonly tidy: () => Promise<void>;
};

export async function play(script: Script, place: Place): Promise<Playing> {
  const kit = new Kit(place);
  const { key, longhaul, roots } = kit;
  const result = await ended(inTime(script.run(kit)));
  const { compare = 'decided' } = script;
  return {
    result: JSON.parse(masked(JSON.stringify(result), key)) as Json,
    histories: () => readHistories({ longhaul, key, roots, compare }),
    tidy: async () => {
      const open = roots.map((workflowId) => kit.handle({ workflowId }));
      await Promise.allSettled(open.map((handle) => handle.terminate('the script is over')));
    },
  };
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`the script did not end within ${longestMs} ms`);
    timer = setTimeout(() => reject(error), longestMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
