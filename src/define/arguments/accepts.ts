// Turns arguments of an earlier version of a tool into those of the present one, by the user's code.

import {
  errorText,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  type Problem,
  utf8Length,
} from '../../base';
import { checkExactJson, violationText } from '../../core/session';
import { limits } from '../../protocol';
import type { ArgumentsCheck, InputSchema, ValidateArguments } from './emit';
import { withinTime } from './within-time';

/** An earlier version of a tool's arguments. */
export type Accepted = {
  readonly schema: JsonSchema;
  /** Undefined if the arguments are not of this version. */
  upgrade(args: Json, validate: ValidateArguments): Promise<Upgraded | undefined>;
};

/** `args`: what `upgrade` made. */
export type Upgraded = ArgumentsCheck & { readonly args?: JsonObject };

/** The longest time of an upgrade. All other work of a worker waits for this thread. */
const upgradeMilliseconds = 500;

export function acceptedVersion(
  { schema, validate: validateEarlier }: InputSchema,
  upgrade: (args: never) => unknown,
): Accepted {
  return {
    schema,
    upgrade: async (given, validate) => {
      // A copy, because the log and the idempotency key have the arguments that people approved.
      const earlier = await validateEarlier(structuredClone(given));
      if (!earlier.ok) return undefined;
      let args: unknown;
      try {
        args = withinTime(upgradeMilliseconds, () => upgrade(earlier.value as never));
      } catch (error) {
        return failed(`failed: ${errorText(error)}`);
      }
      const violation = checkExactJson(args);
      if (violation !== undefined) return failed(`made no JSON${violationText(violation)}`);
      if (!isJsonObject(args)) return failed('must return an object');
      if (utf8Length(JSON.stringify(args)) > limits.toolArguments)
        return failed(`made more than ${limits.toolArguments} bytes`);
      const checked = await validate(args);
      if (checked.ok) return { ...checked, args };
      const found = checked.problems.map(({ path, message }) => ({
        path,
        message: `${message}, in what 'upgrade' of 'accepts' made`,
      }));
      return { ok: false, problems: found };
    },
  };
}

function failed(message: string): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ path: '', message: `'upgrade' of 'accepts' ${message}` }] };
}
