// Compares calls that wait for approval with the tools of the worker that has the run now. The worker sets the schemas of its tools as a
// global, beside the code of the workflows, so that no event and no activity is needed (docs/adr/0055). Pure.
//
// 1. Workers differ. So only what never reaches history may depend on these schemas: answers to queries, current details, and validators.

import { clipText, formatProblem, type JsonObject, type JsonSchema } from '../../base';
import { checkAgainst, forTools } from '../../core/schema/check-schema';
import { answerSchemaProblem } from '../../core/schema/schema-problem';
import { type DeployedTools, limits, type PendingInput } from '../../protocol';

/** The worker may be of an older version, or replay histories. */
declare const __longhaulTools__: string | undefined;

const isKnown = typeof __longhaulTools__ === 'string';
const deployed = JSON.parse(isKnown ? __longhaulTools__ : '{}') as DeployedTools;

/** The open input. A call that the deployed tool refuses says so, and has its schema for edits. */
export function asDeployed(input: PendingInput): PendingInput {
  const { kind, call } = input;
  if (kind !== 'approval' || !call?.args || !Object.hasOwn(deployed, call.name)) return input;
  const { args } = call;
  const [current = {}, ...accepted] = deployed[call.name] ?? [];
  const problems = checkAgainst(current, args, forTools);
  if (problems.length === 0 || accepted.some((earlier) => isTaken(earlier, args))) return input;
  const { schema: _pinned, ...others } = input;
  return {
    ...others,
    ...(answerSchemaProblem(current) === undefined && { schema: current }),
    outdated: clipText(problems.map(formatProblem).join('; '), limits.shownQuestion),
  };
}

const isTaken = (schema: JsonSchema, args: JsonObject): boolean =>
  checkAgainst(schema, args, forTools).length === 0;
