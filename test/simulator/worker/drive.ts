import type { CoreRun } from '../core/core-run';
import type { ServerCommand } from '../core/operations';
import { Instance, type Place } from './sandbox';
import { withSourceLines } from './source-lines';

/** A run on one worker: what Core has of it, and its workflow code. */
export type Driven = {
  readonly run: CoreRun;
  instance: Instance | undefined;
  /** The last task that workflow code had something to do in, by the event with which it began. */
  last?: { readonly startedId: number; readonly commands: readonly ServerCommand[] };
};

/**
 * Gives workflow code what Core has for it, until Core has no more. Returns the flags of the SDK that the code used. Throws if an activation
 * fails.
 */
export async function drive(driven: Driven, place: Place): Promise<readonly number[]> {
  const { run } = driven;
  const flags = new Set<number>();
  for (let activation = run.activation(); activation; activation = run.activation()) {
    driven.instance ??= await Instance.create(activation, place);
    const { successful, failed } = await driven.instance.activate(activation);
    if (failed) {
      const { message, stackTrace } = failed.failure ?? {};
      const error = new Error(message ?? 'the activation failed');
      error.stack = `${error.message}\n${withSourceLines(stackTrace ?? '')}`;
      throw error;
    }
    const used = successful?.usedInternalFlags ?? [];
    for (const flag of used) flags.add(flag);
    const commands = successful?.commands ?? [];
    run.take(
      commands.filter(({ respondToQuery }) => !respondToQuery),
      used,
    );
    driven.last = { startedId: run.startedId, commands: run.commands };
  }
  return [...flags];
}
