import { checkKnown } from '../core/run-input';
import { describeValue } from '../base/problem';
import { LonghaulError } from '../protocol/errors';

/**
 * Throws `InvalidInput` for an option that a method does not have: misspelt, it would be lost in silence. `known` is compiled against
 * the type of the options, so that a new one must be added to it.
 */
export function checkOptions<Options extends object>(
  method: string,
  options: Options,
  known: Readonly<Record<keyof Options, true>>,
): void {
  const given: unknown = options;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new LonghaulError(
      'InvalidInput',
      `${method} takes an object of options, not ${describeValue(given)}`,
    );
  checkKnown(given, `the options of ${method}`, Object.keys(known));
}
