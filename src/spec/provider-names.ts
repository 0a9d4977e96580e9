import type { Registry } from './registry';

/** Providers that the models of the registered agents name. */
export function providerNames(registry: Registry): readonly string[] {
  const named = registry.runnerIds().flatMap((id) => {
    const { runners } = registry.definition(id);
    return Object.values(runners).flatMap((spec) => ('model' in spec ? [spec.model.provider] : []));
  });
  return [...new Set(named)];
}
