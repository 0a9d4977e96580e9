import type { z } from 'zod';
import { made } from '../../define/schema';

/** An option that takes a provider of OpenTelemetry. */
export function providerWith<Provider>(method: 'getTracer' | 'getMeter'): z.ZodType<Provider> {
  return made<Provider>(
    (value) => typeof (Object(value) as Record<string, unknown>)[method] === 'function',
    `a provider of OpenTelemetry with ${method}()`,
  );
}
