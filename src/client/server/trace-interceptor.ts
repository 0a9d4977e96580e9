// Sends the caller's trace context with what starts runs: in the header that Temporal's own OpenTelemetry interceptors use.

import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { traceHeader } from '../../protocol';
import type { Telemetry } from '../../telemetry';

type Headers = Parameters<NonNullable<WorkflowClientInterceptor['start']>>[0]['headers'];

export function traceInterceptor(telemetry: Pick<Telemetry, 'carrier'>): WorkflowClientInterceptor {
  const traced = (headers: Headers): Headers => {
    const carrier = telemetry.carrier();
    if (carrier === undefined || headers[traceHeader] !== undefined) return headers;
    return { ...headers, [traceHeader]: defaultPayloadConverter.toPayload(carrier) };
  };
  return {
    startWithDetails: (input, next) => next({ ...input, headers: traced(input.headers) }),
    startUpdate: (input, next) => next({ ...input, headers: traced(input.headers) }),
    startUpdateWithStart: (input, next) =>
      next({ ...input, updateHeaders: traced(input.updateHeaders) }),
  };
}
