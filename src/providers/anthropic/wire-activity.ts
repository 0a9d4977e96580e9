import { boundedBody } from '../bounded-body';

type Fetching = <Request>(
  request: Request,
  next: (request: Request) => Promise<Response>,
) => Promise<Response>;

/**
 * Middleware that reports every chunk off the wire. The SDK swallows `ping` events, and they are all that comes while a
 * model thinks in silence.
 */
export function reportingChunks(onActivity: () => void): Fetching {
  return async (request, next) => boundedBody(await next(request), onActivity);
}
