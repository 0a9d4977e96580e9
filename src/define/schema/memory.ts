import { z } from 'zod';
import { count, help, kind, runnerId, size } from './parts';

// The schemas of memory and context: which earlier turns of its thread an agent gets, and what happens when a conversation outgrows the
// model's context.

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

export const memory = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: kind('full', memoryKinds),
      turns: noTurns,
      /** Name of a memory store of the worker. Turns are written to it as well. */
      store,
    }),
    z.strictObject({
      kind: kind('windowed', memoryKinds),
      /** How many of the last turns; 0 gives none. */
      turns: count(0).meta({
        expected: 'a whole number of turns, 0 or more',
        ...help('How many of the last turns the agent is given'),
      }),
      store,
    }),
  ])
  .meta(help('What the agent is given of the earlier turns of its thread', { see: 'memory.md' }));

const clearResults = z.strictObject({
  /** The results of this many last turns stay. Default 4. */
  olderThan: count(0)
    .meta(help('Results of the last so many turns are never cleared', { byDefault: '4' }))
    .exactOptional(),
  /** Only results of more bytes are cleared: a number, or a text such as `'4 KiB'`. Default 1 KiB. */
  over: size(256)
    .meta(help('Only results larger than this are cleared', { byDefault: '1 KiB' }))
    .exactOptional(),
});

/** `model` is what may name the model that writes summaries. */
export function contextOf<Model extends z.ZodType>(model: Model) {
  return z
    .strictObject({
      /** How many tokens a prompt may have. Default: the window of the model in the worker's price table. */
      window: count(1000)
        .meta(
          help('How many tokens a prompt of the model may have', {
            byDefault: 'what the worker knows of the model',
            see: 'context.md#the-window',
          }),
        )
        .exactOptional(),
      /** The share of the window at which the prompt is made smaller. Default 0.8. */
      compactAt: z
        .number()
        .positive()
        .max(1)
        .meta({
          expected: 'a number above 0 and at most 1',
          ...help('The share of the window at which the prompt is made smaller', {
            byDefault: '0.8',
          }),
        })
        .exactOptional(),
      /** This many last turns are never summarised. Default 6. */
      keepTurns: count(1)
        .meta(help('The last so many turns are never summarised', { byDefault: '6' }))
        .exactOptional(),
      /** Old tool results become a short note; `false` never clears any. */
      clearResults: z
        .union([z.literal(false), clearResults])
        .meta({
          expected: 'false or {olderThan, over}',
          ...help('Which old tool results become a short note; with `false`, none', {
            byDefault: 'those of more than 1 KiB, but not those of the last 4 turns',
          }),
        })
        .exactOptional(),
      /** The model that writes the summaries. Default: the agent's own. */
      model: model
        .meta(help('The model that writes the summaries', { byDefault: "the agent's model" }))
        .exactOptional(),
    })
    .meta(
      help("Makes the prompt smaller when it outgrows the model's context", { see: 'context.md' }),
    );
}
