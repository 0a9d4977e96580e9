import { z } from 'zod';
import { defined, type Problem } from '../../base';
import { answerSchemaProblem } from '../../core/schema/schema-problem';
import { limits } from '../../protocol/limits';
import type { RetrySpec, ToolSpec } from '../../protocol/spec';
import { parseInputSchema, parseSchemaOption } from '../arguments/emit';
import { rule } from '../problems/from-zod';
import {
  aFunction,
  count,
  duration,
  flag,
  help,
  list,
  nonBlank,
  sessionKeys,
  toolName,
} from './parts';

// Every option of a tool that is defined in code, written once.

/** How a failed call is tried again; Temporal's own terms. */
export const retry = z
  .strictObject({
    maximumAttempts: count(1, 10_000)
      .meta(help('How often a call is tried', { byDefault: '5' }))
      .exactOptional(),
    /** Default 1 second. */
    initialInterval: duration
      .meta(help('The pause after the first attempt', { byDefault: '1 second' }))
      .exactOptional(),
    backoffCoefficient: z
      .number()
      .min(1)
      .meta(help('How much longer each pause is than the one before it', { byDefault: '2' }))
      .exactOptional(),
    maximumInterval: duration
      .meta(
        help('The longest pause; needed when `initialInterval` is longer than 60 seconds', {
          byDefault: '60 seconds',
        }),
      )
      .exactOptional(),
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

/** The options that all kinds of tools have. */
export const toolFields = {
  name: toolName.meta(help('The name of the tool; a worker knows one tool of a name')),
  /** Tells the model what the tool does and when to use it. */
  description: nonBlank('a text that tells the model what the tool does').meta(
    help('Tells the model what the tool does and when to use it'),
  ),
  /** `once`: if the outcome of a call is unknown, the run reports it and never makes the call again. Default `idempotent`. */
  effect: effect
    .meta(
      help('What a second run of the same call would do', {
        byDefault: '`idempotent`',
        see: 'tools.md#side-effects',
      }),
    )
    .exactOptional(),
  /** `return` shows the model the error, `fail` ends the run. Default `return`. */
  onError: onToolError
    .meta(
      help('`return` shows the error to the model, `fail` ends the run with `ToolError`', {
        byDefault: '`return`',
        see: 'tools.md#errors-and-retries',
      }),
    )
    .exactOptional(),
  /** The time of one attempt. Default 2 minutes. */
  timeout: duration
    .meta(help('How long one attempt may take', { byDefault: '2 minutes' }))
    .exactOptional(),
  retry: retry.meta(help('How a failed call is tried again')).exactOptional(),
  /** Replaces a tool of the same name registered before this one. */
  override: flag
    .meta(
      help(
        'Replaces a tool of the same name that was registered before; without it two of a name are refused',
        {
          byDefault: '`false`',
        },
      ),
    )
    .exactOptional(),
};

/** Options of a tool with code. */
export const codeToolFields = {
  ...toolFields,
  /** Calls run in the activity of the model call where they can. Not with effect `once`. Default false. */
  inline: flag
    .meta(
      help('Calls run in the activity of the model call', {
        byDefault: '`false`',
        see: 'tools.md#inline-tools',
      }),
    )
    .exactOptional(),
  /** Session keys the tool reads and changes. */
  session: sessionKeys
    .meta(
      help('Session keys that the tool reads and changes', {
        see: 'memory.md#the-session-of-a-run',
      }),
    )
    .exactOptional(),
  /** How much of a result the model gets, in bytes. Default 64 KiB. */
  maxResultBytes: count(1, limits.toolResultStored)
    .meta(
      help('How many bytes of a result are kept and shown to the model', {
        byDefault: '64 KiB',
        see: 'tools.md#results',
      }),
    )
    .exactOptional(),
};

/** Who gives the result. */
export const resultFields = {
  result: z
    .enum(['client', 'later'])
    .meta(
      help(
        'Who gives the result: the `client` of the run, or `later` whoever has the token that `execute` gets',
        { byDefault: 'what `execute` returns', see: 'tools.md#results-from-elsewhere' },
      ),
    )
    .exactOptional(),
  /** How long a call waits for its result. Then it gets an error. */
  resultTimeout: duration
    .meta(
      help('How long a call waits for a result from elsewhere; then it fails', {
        byDefault: 'for ever',
      }),
    )
    .exactOptional(),
};

type RuledTool = {
  readonly effect?: string;
  readonly retry?: Retry;
  readonly inline?: boolean;
};

type ResultTool = RuledTool & {
  readonly result?: 'client' | 'later';
  readonly resultSchema?: unknown;
  readonly resultTimeout?: number;
  readonly execute?: unknown;
  readonly accepts?: unknown;
  readonly session?: unknown;
  readonly timeout?: number;
};

export function toolRules(tool: RuledTool, spec: Pick<ToolSpec, 'needsApproval'>): Problem[] {
  return [...retryProblems(tool), ...inlineProblems(tool, spec)];
}

/** A tool of the client has no code here. Every other tool has some. */
export function resultRules(tool: ResultTool): Problem[] {
  const { result, execute, inline } = tool;
  const needless = (name: keyof ResultTool, why: string): Problem[] =>
    tool[name] === undefined ? [] : [{ path: name, message: why }];
  if (result !== 'client' && execute === undefined)
    return [
      {
        path: 'execute',
        message: "is required: a function. Only a tool with result 'client' has none",
      },
    ];
  if (result === undefined) {
    const why = "is only for a tool with result 'client' or 'later'";
    return [...needless('resultSchema', why), ...needless('resultTimeout', why)];
  }
  const contradiction = `contradicts result '${result}': remove one of the two`;
  if (result === 'later') return inline === true ? needless('inline', contradiction) : [];
  return (['execute', 'accepts', 'inline', 'retry', 'timeout', 'session'] as const).flatMap(
    (name) => needless(name, contradiction),
  );
}

/** The rules of `mayRunInline`, where the author can still choose. */
function inlineProblems(
  { inline, effect: kind, retry: given }: RuledTool,
  { needsApproval }: Pick<ToolSpec, 'needsApproval'>,
) {
  if (inline !== true) return [];
  const contradicts = (what: string, why: string): Problem => ({
    path: 'inline',
    message: `contradicts ${what}: ${why}; remove one of the two`,
  });
  const again = 'an inline call that does not finish is made again';
  return [
    ...(kind === 'once' ? [contradicts("effect 'once'", again)] : []),
    ...(given?.maximumAttempts === 1 ? [contradicts('maximumAttempts: 1', again)] : []),
    ...(needsApproval === true
      ? [contradicts('needsApproval: true', 'a call that waits for a person does not run inline')]
      : []),
  ];
}

function retryProblems({ effect: kind, retry: given }: RuledTool): Problem[] {
  if (kind !== 'once' || given === undefined || (given.maximumAttempts ?? 2) <= 1) return [];
  const message = `contradicts effect 'once', which runs one attempt: remove one of the two`;
  return [{ path: 'retry', message }];
}

/** The schema of arguments for the model, and the check of the arguments that it sends. */
export const toolInput = z
  .unknown()
  .optional()
  .transform((value, context) => {
    const input = parseInputSchema(value);
    for (const { path, message } of input.problems) {
      context.addIssue({ code: 'custom', message, params: { at: path } });
    }
    return input;
  })
  .meta({
    expected: 'a Standard Schema or a JSON Schema',
    ...help('The arguments: an object', { see: 'tools.md#schemas-and-types' }),
  });

/** Arguments of earlier versions. */
export const toolAccepts = list(
  z.strictObject({
    schema: toolInput.meta(help('What the arguments of the earlier version were')),
    upgrade: aFunction<(args: never) => unknown>().meta(
      help(
        '`args => args`: makes the present arguments of them. It computes, and does nothing else',
      ),
    ),
  }),
  20,
).meta(help('Arguments of earlier versions that calls of waiting runs still have'));

/** The schema of a result from elsewhere. */
export const toolResult = z
  .unknown()
  .transform((value, context) => {
    const option = parseSchemaOption(value);
    const problem = option.ok ? answerSchemaProblem(option.schema) : option.problem;
    if (problem !== undefined) {
      const { path, message } = problem;
      context.addIssue({ code: 'custom', message, params: { at: path } });
    }
    return option.ok ? option.schema : z.NEVER;
  })
  .meta({
    expected: 'a Standard Schema or a JSON Schema',
    ...help('A result from elsewhere: any JSON', { byDefault: 'any JSON' }),
  });
