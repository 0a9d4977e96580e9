import { LonghaulError } from '../protocol/errors';

/** One way to get an executable: `find` resolves with its path or rejects with the reason in one line. */
export type Route = { readonly name: string; readonly find: () => Promise<string> | string };

/** An executable and the route it came by. */
export type FoundExecutable = { readonly path: string; readonly route: string };

export type RouteFailure = { readonly route: string; readonly reason: string };

/** Takes the first route that works; when none does, one error says what was tried, why each failed and how to install. */
export async function firstRoute(
  what: string,
  routes: readonly Route[],
  installation: string,
): Promise<FoundExecutable> {
  const failures: RouteFailure[] = [];
  for (const route of routes) {
    try {
      return { path: await route.find(), route: route.name };
    } catch (error) {
      failures.push({ route: route.name, reason: reasonOf(error) });
    }
  }
  const tried = failures.map(({ route, reason }) => `  - ${route}: ${reason}`).join('\n');
  const message = `Cannot find ${what}. Tried:\n${tried}\n${installation}`;
  throw new LonghaulError('ServerUnavailable', message, { details: { failures } });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
