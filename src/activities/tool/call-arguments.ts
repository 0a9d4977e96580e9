import type { ArgumentsRef, CallToolInput } from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import type { ActivityDependencies } from '../dependencies';
import { readLog } from '../log/read-log';

/** The arguments of a call, from the log where they are too long to travel. */
export async function callArguments(
  dependencies: ActivityDependencies,
  input: CallToolInput,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (input.byReference !== true) return input.args as JsonObject;
  const ref = input.args as ArgumentsRef;
  const entries = await readLog(dependencies.logCache, ref.log, signal);
  const entry = entries.find((candidate) => candidate.id === ref.entryId);
  const part = entry?.kind === 'model-turn' ? entry.content[ref.position] : undefined;
  if (part?.type === 'tool_call' && part.args !== null) return part.args;
  throw new LonghaulError('InternalError', `the log has no arguments at entry '${ref.entryId}'`);
}
