import { defined } from '../../base';
import { type AgentRunResult, type ChildResult, LonghaulError } from '../../protocol';
import type { StreamPlace } from '../../core/stream/events';
import type { End } from './run-now';
import type { RunSource } from './run-source';

/** The last event of a run that is closed. */
export async function endOf(source: RunSource, place: StreamPlace): Promise<End> {
  try {
    return { ...place, type: 'end', status: 'completed', result: shown(await source.result()) };
  } catch (error) {
    if (!LonghaulError.is(error) || isAboutReading(error)) throw error;
    const { code, message } = error;
    const status = code === 'RunCancelled' ? 'cancelled' : 'failed';
    return { ...place, type: 'end', status, error: { code, message } };
  }
}

/** The run itself may be fine. */
function isAboutReading({ code }: LonghaulError): boolean {
  return code === 'ServerUnavailable' || code === 'RunNotFound' || code === 'EncryptionMismatch';
}

function shown(result: AgentRunResult | ChildResult): NonNullable<End['result']> {
  const { finalResponse, completionReason } = result;
  const { text, structured } = finalResponse;
  const { usage, costUsd } = 'spend' in result ? result.spend : result;
  return { text, completionReason, usage, ...defined({ structured, costUsd }) };
}
