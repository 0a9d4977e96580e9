// Reports what runs do through OpenTelemetry. Its package is loaded at the first use.
export type { ContentPart, Redact } from './content';
export { observePauses } from './observe-pauses';
export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry';
export type { Telemetry } from '../index';
