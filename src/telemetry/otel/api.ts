// OpenTelemetry's API, an optional package. Nothing here throws into a run.
/* eslint-disable @typescript-eslint/no-require-imports -- loads an optional package at first use */

import type * as api from '@opentelemetry/api';
import { loadPeer } from '../../protocol';

/** Throws `PackageMissing` if the package is not installed. */
export function otelApi(): typeof api {
  return loadPeer('@opentelemetry/api', () => require('@opentelemetry/api') as typeof api);
}

/** The result of `work`. If it throws, only the diagnostics of OpenTelemetry get the error. */
export function guarded<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    warn('Longhaul could not record telemetry', error);
    return undefined;
  }
}

/** Writes a warning. A user's own logger may be behind it, and may throw. */
export function warn(message: string, ...details: readonly unknown[]): void {
  try {
    otelApi().diag.warn(message, ...details);
  } catch {
    // A failure of the logger itself cannot be reported.
  }
}
