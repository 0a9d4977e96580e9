// The one wrapper around every workflow function. It keeps our errors from wedging a run: Temporal would retry the workflow task for ever
// for any error that is not a Temporal failure.
//
// 1. Continue-as-new, Temporal's failures and cancellation pass.
// 2. A LonghaulError becomes a non-retryable failure with its code.
// 3. Any other error becomes the non-retryable InternalError.
// 4. A state of a newer version fails the workflow task, which waits for a worker that can read it. The worker logs that.
// 5. A result that cannot be stored fails the run here, visibly, instead of wedging it. That should not happen, because results are cut to
//    fit before.

import {
  ActivityFailure,
  ApplicationFailure,
  ContinueAsNew,
  isCancellation,
  proxySinks,
  TemporalFailure,
} from '@temporalio/workflow';
import { clipText, defined, utf8Length } from '../base';
import { checkJson, violationText } from '../core/session';
import { isOfNewerVersion } from '../core/stored-format';
import { type HintSinks, limits, LonghaulError } from '../protocol';

const { longhaul } = proxySinks<HintSinks>();

export async function durable<Result>(main: () => Promise<Result>): Promise<Result> {
  try {
    return storable(await main());
  } catch (error) {
    throw toWorkflowFailure(error);
  }
}

export function toWorkflowFailure(error: unknown): unknown {
  if (error instanceof ContinueAsNew || error instanceof TemporalFailure || isCancellation(error))
    return error;
  if (isOfNewerVersion(error)) {
    longhaul.newerVersion(error.message);
    return error;
  }
  if (LonghaulError.is(error)) return failureOf(error);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return ApplicationFailure.create({
    type: 'InternalError',
    message: clipText(`Longhaul failed unexpectedly: ${message}`, limits.failureMessage),
    nonRetryable: true,
  });
}

function failureOf(error: LonghaulError): ApplicationFailure {
  const details = JSON.stringify(error.details);
  return ApplicationFailure.create({
    type: error.code,
    message: clipText(error.message, limits.failureMessage),
    nonRetryable: true,
    details: details.length <= limits.failureMessage ? [JSON.parse(details)] : [],
    ...defined({ cause: thrownByCode(error) }),
  });
}

/**
 * The error that code threw in an activity: the cause of the last failure with a type. The LonghaulError already stands for that failure.
 */
function thrownByCode({ cause }: LonghaulError): Error | undefined {
  let thrown = cause;
  while (thrown instanceof ActivityFailure || (thrown instanceof ApplicationFailure && thrown.type))
    thrown = thrown.cause;
  return thrown instanceof TemporalFailure ? thrown : undefined;
}

export function storable<Result>(result: Result): Result {
  if (result === undefined) return result;
  const violation = checkJson(result);
  if (violation !== undefined) {
    throw new LonghaulError('InternalError', `the result is not JSON${violationText(violation)}`);
  }
  const bytes = utf8Length(JSON.stringify(result));
  if (bytes > limits.payload) {
    throw new LonghaulError(
      'PayloadTooLarge',
      `the result has ${bytes} bytes; a run may return ${limits.payload}`,
    );
  }
  return result;
}
