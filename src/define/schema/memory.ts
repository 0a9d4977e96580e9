import { z } from 'zod';
import { count, help, kind, runnerId } from './parts';

// What an agent is given of its thread's earlier turns, and what becomes of turns that do not fit.

function compactBy<Model extends z.ZodType>(model: Model) {
  return z.strictObject({
    /** The tokens of the model's context. */
    contextTokens: count(1000).meta(help("The size of the model's context, in tokens")),
    /** The share of them, by the provider's own count, at which older turns are summarised. Default 0.8. */
    at: z
      .number()
      .positive()
      .max(1)
      .meta({
        expected: 'a number above 0 and at most 1',
        ...help('The share of the context at which older turns are summarised', {
          byDefault: '0.8',
        }),
      })
      .exactOptional(),
    /** Turns that stay as they are. Default 4. */
    keepTurns: count(0)
      .meta(help('How many of the last turns stay as they are', { byDefault: '4' }))
      .exactOptional(),
    /** Writes the summary. Default: the agent's own. */
    model: model
      .meta(help('The model that writes the summary', { byDefault: "the agent's model" }))
      .exactOptional(),
  });
}

const noTurns = z
  .custom<never>(() => false, {
    error:
      "is only for kind 'windowed': kind 'full' gives all turns; leave it out or change the kind",
  })
  .exactOptional();

const store = runnerId
  .meta(help('The name of a memory store of the worker, which keeps the turns as well'))
  .exactOptional();

const memoryKinds = '`full` gives all earlier turns, `windowed` only the last ones';

/** `model` is what may name the model that writes summaries. */
export function memoryOf<Model extends z.ZodType>(model: Model) {
  const compact = compactBy(model)
    .meta(help("Summarises older turns when the model's context fills up"))
    .exactOptional();
  return z
    .discriminatedUnion('kind', [
      z.strictObject({
        kind: kind('full', memoryKinds),
        turns: noTurns,
        /** Name of a memory store of the worker. Turns are written to it as well. */
        store,
        /** Summarises older turns when a thread nears the model's context limit. */
        compact,
      }),
      z.strictObject({
        kind: kind('windowed', memoryKinds),
        /** The last so many turns; 0 gives none. */
        turns: count(0).meta({
          expected: 'a whole number of turns, 0 or more',
          ...help('How many of the last turns the agent is given'),
        }),
        store,
        compact,
      }),
    ])
    .meta(help('What the agent is given of the earlier turns of its thread', { see: 'memory.md' }));
}
