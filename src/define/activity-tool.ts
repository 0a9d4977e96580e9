import { z } from 'zod';
import { deepFreeze, defined, type JsonObject } from '../base/json';
import { LonghaulError } from '../protocol/errors';
import type { OutputOf, StandardSchema } from './arguments/emit';
import { parseOptions, refuseProblems } from './options';
import { duration, type Immutable, nonBlank } from './schema/parts';
import { needsApproval, toolFields, toolInput, toolRules } from './schema/tool';
import {
  toolSpec,
  toolSubject,
  type ApprovalContext,
  type JsonSchemaLiteral,
  type Tool,
} from './tool';

const ownFields = {
  ...toolFields,
  /** Type of the activity, as its worker registers it. Its single argument is the arguments object as the model wrote it. */
  activity: nonBlank('the type of an activity'),
  /** Of the workers that have the activity. Default: the run's own. */
  taskQueue: nonBlank('the name of a task queue').exactOptional(),
  /** Set it when the activity heartbeats: a dead worker is noticed sooner. Default: none. */
  heartbeatTimeout: duration.exactOptional(),
};

export type ActivityToolDefinition<Schema, Args> = Immutable<
  z.input<z.ZodObject<typeof ownFields>>
> & {
  readonly inputSchema: Schema;
  readonly needsApproval?:
    boolean | ((args: Args, context: ApprovalContext) => boolean | Promise<boolean>);
};

const activityToolOptions = z.strictObject({
  ...ownFields,
  inputSchema: toolInput,
  needsApproval: needsApproval.exactOptional(),
});

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
  const subject = toolSubject(definition);
  const code = ['inputSchema', 'needsApproval'];
  const options = parseOptions(activityToolOptions, definition, { subject, code });
  refuseProblems(subject, toolRules(options));
  const { schema: inputSchema, validate: validateArguments } = options.inputSchema;
  const { name, activity: type, taskQueue, heartbeatTimeout: heartbeatTimeoutMs } = options;
  const activity = { type, ...defined({ taskQueue, heartbeatTimeoutMs }) };
  const { needsApproval: asks } = definition;
  return Object.freeze({
    kind: 'tool',
    name,
    spec: deepFreeze({ ...toolSpec(options), inputSchema, activity }),
    override: options.override ?? false,
    execute: () => {
      throw new LonghaulError(
        'InternalError',
        `the tool '${name}' is an activity: only a run can call it`,
      );
    },
    ...(typeof asks === 'function' && { needsApproval: asks }),
    validateArguments,
  });
}
