import { checkKnown } from '../../core/run-input';
import { describeValue } from '../../base';
import { LonghaulError } from '../../protocol';

/** Throws `InvalidInput` for an unknown option. The compiler checks that `known` has every option of the type. */
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
