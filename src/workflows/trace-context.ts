// Interceptors of all workflows that take the caller's trace from the header, and hand it on. Our bundles load this file by path. It knows
// no runs: they get a trace as a member of their input.
//
// 1. The header is that of Temporal's own OpenTelemetry interceptors: a W3C carrier as JSON.
// 2. A user's own workflow that starts runs is a span above them. The span is reported when that workflow ends.

import {
  ContinueAsNew,
  defaultPayloadConverter,
  type Headers,
  isCancellation,
  proxySinks,
  TemporalFailure,
  workflowInfo,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { isJsonObject } from '../base';
import {
  allWorkflowTypes,
  readTraceparent,
  type RunStatus,
  type TelemetrySinks,
  threadType,
  traceHeader,
  traceparent,
  type TraceParent,
  updateNames,
} from '../protocol';
import { callerSpan, callerTrace } from './display/segments';

const { longhaulTelemetry } = proxySinks<TelemetrySinks>();

export const interceptors = (): WorkflowInterceptors => {
  const { workflowType } = workflowInfo();
  if (!allWorkflowTypes.includes(workflowType)) return ofCaller();
  return { inbound: [workflowType === threadType ? ofThread : ofRun] };
};

type Inbound = NonNullable<WorkflowInterceptors['inbound']>[number];

const ofRun: Inbound = { execute: (input, next) => next(traced(input)) };

/** Each message has the trace of its sender. */
const ofThread: Inbound = {
  validateUpdate: (input, next) => next(isSend(input) ? traced(input) : input),
  handleUpdate: (input, next) => next(isSend(input) ? traced(input) : input),
};

const isSend = ({ name }: { readonly name: string }): boolean => name === updateNames.send;

/** The first argument names the trace, if a caller gave one and the argument does not name another. */
function traced<Input extends { readonly args: unknown[]; readonly headers: Headers }>(
  input: Input,
): Input {
  const [first, ...rest] = input.args;
  const above = fromHeaders(input.headers);
  if (above === undefined || !isJsonObject(first) || first['trace'] !== undefined) return input;
  return { ...input, args: [{ ...first, trace: traceparent(above) }, ...rest] };
}

function fromHeaders({ [traceHeader]: payload }: Headers): TraceParent | undefined {
  if (payload === undefined) return undefined;
  try {
    const carrier: unknown = defaultPayloadConverter.fromPayload(payload);
    return isJsonObject(carrier) ? readTraceparent(carrier['traceparent']) : undefined;
  } catch {
    return undefined;
  }
}

/** A user's own workflow. Without a header, its runs derive the same trace by themselves. */
function ofCaller(): WorkflowInterceptors {
  const info = workflowInfo();
  const span = callerSpan(info);
  const startedAt = Date.now();
  let above: TraceParent | undefined;
  let hasRuns = false;

  const tell = (status: RunStatus): void => {
    if (!hasRuns || workflowInfo().unsafe.isReplaying) return;
    longhaulTelemetry.segment({
      kind: 'workflow',
      runner: info.workflowType,
      path: info.workflowType,
      root: info.workflowId,
      span,
      above: traceparent(above ?? callerTrace(info)),
      number: 1,
      startedAt,
      endedAt: Date.now(),
      status,
    });
  };

  return {
    inbound: [
      {
        execute: async (input, next) => {
          above = fromHeaders(input.headers);
          try {
            const result = await next(input);
            tell('completed');
            return result;
          } catch (error) {
            if (error instanceof ContinueAsNew) tell('completed');
            else if (isCancellation(error)) tell('cancelled');
            // Any other error fails the workflow task, and the workflow goes on.
            else if (error instanceof TemporalFailure) tell('failed');
            throw error;
          }
        },
      },
    ],
    outbound: [
      {
        startChildWorkflowExecution: (input, next) => {
          if (!allWorkflowTypes.includes(input.workflowType)) return next(input);
          hasRuns = true;
          if (above === undefined || input.headers[traceHeader] !== undefined) return next(input);
          const carrier = { traceparent: traceparent({ ...above, spanId: span }) };
          const header = defaultPayloadConverter.toPayload(carrier);
          return next({ ...input, headers: { ...input.headers, [traceHeader]: header } });
        },
      },
    ],
  };
}
