// Finds the route of a path. A fixed part of a path wins over a parameter.

import { HttpProblem } from './problems';
import type { PublicRoute, Route } from './route';

type AnyRoute = Route | PublicRoute;

/** `routes`: those of the path, by method. */
export type Found = {
  readonly routes: ReadonlyMap<string, AnyRoute>;
  readonly params: (route: AnyRoute) => Readonly<Record<string, string>>;
};

export class Router {
  readonly #base: readonly string[];
  readonly #routes: readonly { readonly route: AnyRoute; readonly parts: readonly string[] }[];

  /** `basePath`: like `/` or `/api/agents`. */
  constructor(basePath: string, routes: readonly AnyRoute[]) {
    this.#base = basePath === '/' ? [] : partsOf(basePath);
    this.#routes = routes
      .map((route) => ({ route, parts: partsOf(route.path) }))
      .sort((left, right) => shapeOf(right.parts).localeCompare(shapeOf(left.parts), 'en'));
  }

  /** Undefined if no route has this path. Throws an `HttpProblem` for a path that no client of ours sends. */
  find({ pathname }: URL): Found | undefined {
    const given = partsOf(pathname).map(decode);
    if (this.#base.some((part, index) => part !== given[index])) return undefined;
    const parts = given.slice(this.#base.length);
    if (parts.includes('')) return undefined;
    const matching = this.#routes.filter((each) => matches(each.parts, parts));
    if (matching.length === 0) return undefined;
    // The most specific one comes last.
    const routes = new Map<string, AnyRoute>(matching.map(({ route }) => [route.method, route]));
    return { routes, params: ({ path }) => paramsOf(partsOf(path), parts) };
  }
}

/** What a request with this path may do. */
export function methodsOf({ routes }: Found): readonly string[] {
  const methods = [...routes.keys()].sort();
  return [...methods, ...(routes.has('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

function partsOf(path: string): readonly string[] {
  return path.slice(1).split('/');
}

/** Sorts parameters before fixed parts, the first part first. */
function shapeOf(parts: readonly string[]): string {
  return parts.map((part) => (part.startsWith(':') ? '1' : '0')).join('');
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, index) => part.startsWith(':') || part === parts[index])
  );
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pattern.flatMap((part, index) =>
      part.startsWith(':') ? [[part.slice(1), parts[index] ?? '']] : [],
    ),
  );
}

/** Ids of runs and threads have slashes, which a path has in encoded form. */
function decode(part: string): string {
  try {
    const decoded = decodeURIComponent(part);
    if (!/\p{Cc}/u.test(decoded)) return decoded;
  } catch {
    // The error follows below.
  }
  throw new HttpProblem('InvalidInput', {
    detail: 'the path has a control character, or is not percent-encoded UTF-8',
  });
}
