import { z } from 'zod';
import { deepFreeze, defined, type JsonObject } from '../base';
import type { OutputOf, StandardSchema } from './arguments/emit';
import { parseOptions, refuseProblems } from './options';
import { duration, help, type Immutable, nonBlank } from './schema/parts';
import { needsApproval } from './schema/approval';
import { toolFields, toolInput, toolRules } from './schema/tool';
import {
  approvalCode,
  runsElsewhere,
  toolSpec,
  toolSubject,
  type JsonSchemaLiteral,
  type NeedsApproval,
  type Tool,
} from './tool';

const ownFields = {
  ...toolFields,
  /** The type of the activity, as its worker registers it. Its only argument is the object of arguments that the model wrote. */
  activity: nonBlank('the type of an activity').meta(
    help('The type of the activity, as its worker registers it'),
  ),
  /** The task queue of the workers that have the activity. Default: the run's own. */
  taskQueue: nonBlank('the name of a task queue')
    .meta(
      help('The task queue of the workers that have the activity', { byDefault: "the run's own" }),
    )
    .exactOptional(),
  /** Set it if the activity heartbeats: Temporal then notices a dead worker sooner. By default there is no heartbeat timeout. */
  heartbeatTimeout: duration
    .meta(help('How long an attempt may send no heartbeat, for an activity that sends some'))
    .exactOptional(),
};

export type ActivityToolDefinition<Schema, Args> = Immutable<
  z.input<z.ZodObject<typeof ownFields>>
> & {
  readonly inputSchema: Schema;
  readonly needsApproval?: NeedsApproval<Args>;
};

export const activityToolOptions = z.strictObject({
  ...ownFields,
  inputSchema: toolInput,
  needsApproval: needsApproval.exactOptional(),
});

/**
 * Makes a tool from a Temporal activity that you have already, on any task queue and in any language. The run schedules the activity
 * itself.
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
  const subject = toolSubject(definition);
  const code = ['inputSchema', 'needsApproval'];
  const options = parseOptions(activityToolOptions, definition, { subject, code });
  const data = toolSpec(options);
  refuseProblems(subject, toolRules(options, data));
  const { schema: inputSchema, validate: validateArguments } = options.inputSchema;
  const { name, activity: type, taskQueue, heartbeatTimeout: heartbeatTimeoutMs } = options;
  const activity = { type, ...defined({ taskQueue, heartbeatTimeoutMs }) };
  return Object.freeze({
    kind: 'tool',
    name,
    spec: deepFreeze({ ...data, inputSchema, activity }),
    override: options.override ?? false,
    execute: runsElsewhere(name),
    ...approvalCode(definition.needsApproval),
    validateArguments,
  });
}
