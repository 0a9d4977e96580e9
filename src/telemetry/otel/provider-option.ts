import type { z } from 'zod';
import { made } from '../../define/schema';

// Options do not use the types of `@opentelemetry/api`: that package is optional, and users without it compile these types, too.
export type AnyTracerProvider = { getTracer(name: string): object };
export type AnyMeterProvider = { getMeter(name: string): object };

/** An option that takes a provider of OpenTelemetry. */
export function providerWith<Provider>(method: 'getTracer' | 'getMeter'): z.ZodType<Provider> {
  return made<Provider>(
    (value) => typeof (Object(value) as Record<string, unknown>)[method] === 'function',
    `a provider of OpenTelemetry with ${method}()`,
  );
}
