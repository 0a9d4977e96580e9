import { z } from 'zod';
import { defined } from '../../base/json';
import type { Problem } from '../../base/problem';
import { limits } from '../../protocol/limits';
import type { RetrySpec } from '../../protocol/spec';
import { parseInputSchema } from '../arguments/emit';
import { rule } from '../problems/from-zod';
import { aFunction, count, duration, flag, nonBlank, sessionKeys, toolName } from './parts';

// Every option of a tool that is defined in code, written once.

/** How a failed call is tried again; Temporal's own terms. */
export const retry = z
  .strictObject({
    maximumAttempts: count(1, 10_000).exactOptional(),
    /** Default 1 second. */
    initialInterval: duration.exactOptional(),
    backoffCoefficient: z.number().min(1).exactOptional(),
    maximumInterval: duration.exactOptional(),
  })
  .superRefine(rule(retryRules));

type Retry = {
  readonly maximumAttempts?: number;
  readonly initialInterval?: number;
  readonly backoffCoefficient?: number;
  readonly maximumInterval?: number;
};

/** Temporal's own default is a second. */
function retryRules({ initialInterval = 1_000, maximumInterval }: Retry): Problem[] {
  if (maximumInterval === undefined || maximumInterval >= initialInterval) return [];
  const message = `must not be shorter than the initial interval of ${initialInterval} ms`;
  return [{ path: 'maximumInterval', message }];
}

/** The same as runs pin it. */
export function retrySpec(given: Retry | undefined): RetrySpec | undefined {
  return (
    given &&
    defined({
      maximumAttempts: given.maximumAttempts,
      initialIntervalMs: given.initialInterval,
      backoffCoefficient: given.backoffCoefficient,
      maximumIntervalMs: given.maximumInterval,
    })
  );
}

export const effect = z.enum(['read', 'idempotent', 'once']);
export const onToolError = z.enum(['return', 'fail']);

/** The options of every tool, whatever runs it. */
export const toolFields = {
  name: toolName,
  /** Tells the model what the tool does and when to use it. */
  description: nonBlank('a text that tells the model what the tool does'),
  /** `once`: a call whose outcome is unknown is reported, never run again. Default `idempotent`. */
  effect: effect.exactOptional(),
  /** `return` shows the model the error, `fail` ends the run. Default `return`. */
  onError: onToolError.exactOptional(),
  /** Of one attempt. Default 2 minutes. */
  timeout: duration.exactOptional(),
  retry: retry.exactOptional(),
  /** Replaces a tool of the same name registered before this one. */
  override: flag.exactOptional(),
};

/** Options of a tool whose code is given. */
export const codeToolFields = {
  ...toolFields,
  /** Session keys the tool reads and changes. */
  session: sessionKeys.exactOptional(),
  /** What of a result the model is shown, in bytes. Default 64 KiB. */
  maxResultBytes: count(1, limits.toolResultStored).exactOptional(),
};

export const needsApproval = z
  .union([flag, aFunction()])
  .meta({ expected: 'true, false or a function (args, context) => boolean' });

type Retried = { readonly effect?: string; readonly retry?: Retry };

export function toolRules({ effect: kind, retry: given }: Retried): Problem[] {
  if (kind !== 'once' || given === undefined || (given.maximumAttempts ?? 2) <= 1) return [];
  const message = `contradicts effect 'once', which runs one attempt: remove one of the two`;
  return [{ path: 'retry', message }];
}

/** What the model is shown of the arguments, and the check of what it sends. */
export const toolInput = z
  .unknown()
  .optional()
  .transform((value, context) => {
    const input = parseInputSchema(value);
    for (const { path, message } of input.problems) {
      context.addIssue({ code: 'custom', message, params: { at: path } });
    }
    return input;
  });
