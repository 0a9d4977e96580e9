/** What runs do, through OpenTelemetry. */
export type { ContentPart, Redact } from './otel/content';
export { observePauses, type ObservePausesOptions } from './otel/observe-pauses';
export { openTelemetry, type OpenTelemetryOptions } from './otel/open-telemetry';
export type { Telemetry } from './telemetry/telemetry';
