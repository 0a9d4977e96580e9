import { defined } from '../base/defined';
import { InternalError } from '../protocol/error-classes';
import type { JsonObject } from '../base/json';
import type { ActivityToolSpec } from '../protocol/spec';
import type { JsonSchemaLiteral } from './define-tool';
import type { Duration } from '../base/duration';
import { OptionReader } from './option-reader';
import { deepFreeze } from '../base/plain-json';
import { specError } from './problem';
import type { OutputOf, StandardSchema } from './standard-schema';
import type { ApprovalContext, Tool } from './tool';
import { parseInputSchema } from './tool-input-schema';
import { readToolOptions, toolOptionNames, type ToolOptionsBase } from './tool-options';

export type ActivityToolDefinition<Schema, Args> = Omit<
  ToolOptionsBase,
  'session' | 'maxResultBytes'
> & {
  readonly inputSchema: Schema;
  /** Type of the activity, as its worker registers it. Its single argument is the arguments object as the model wrote it. */
  readonly activity: string;
  /** Of the workers that have the activity. Default: the run's own. */
  readonly taskQueue?: string;
  /** Set it when the activity heartbeats: a dead worker is noticed sooner. Default: none. */
  readonly heartbeatTimeout?: Duration;
  readonly needsApproval?:
    boolean | ((args: Args, context: ApprovalContext) => boolean | Promise<boolean>);
};

/**
 * Makes a tool of a Temporal activity that exists already, on any task queue and in any language. The run schedules it directly.
 *
 * @example
 * const chargeCard = activityTool({
 *   name: 'charge_card',
 *   description: 'Charges the customer',
 *   inputSchema: z.object({ orderId: z.string(), cents: z.int() }),
 *   activity: 'ChargeCard',
 *   taskQueue: 'payments',
 *   effect: 'once',
 * });
 */
export function activityTool<Schema extends StandardSchema>(
  definition: ActivityToolDefinition<Schema, OutputOf<Schema>>,
): Tool<OutputOf<Schema>>;
export function activityTool<Args = JsonObject>(
  definition: ActivityToolDefinition<JsonSchemaLiteral, Args>,
): Tool<Args>;
export function activityTool(definition: ActivityToolDefinition<unknown, unknown>): Tool {
  const own = ['activity', 'taskQueue', 'heartbeatTimeout'];
  const reader = new OptionReader(definition, [...toolOptionNames, ...own]);
  const activity = readActivity(reader);
  const options = readToolOptions(reader);
  const input = parseInputSchema(options.inputSchema);
  const problems = [...options.problems, ...input.problems];
  if (problems.length > 0) throw specError(options.subject, problems);
  const { needsApproval, override } = definition;
  const { name } = options.spec;
  return Object.freeze({
    kind: 'tool',
    name,
    spec: deepFreeze({ ...options.spec, inputSchema: input.schema, activity }),
    override: override ?? false,
    execute: () => {
      throw new InternalError(`the tool '${name}' is an activity: only a run can call it`);
    },
    ...(typeof needsApproval === 'function' ? { needsApproval } : {}),
    validateArguments: input.validate,
  });
}

function readActivity(reader: OptionReader): ActivityToolSpec {
  const type = reader.text('activity', { rule: 'the type of an activity', required: true });
  return {
    type: type ?? '',
    ...defined({
      taskQueue: reader.text('taskQueue', { rule: 'the name of a task queue' }),
      heartbeatTimeoutMs: reader.duration('heartbeatTimeout'),
    }),
  };
}
