type Fetching = <Request>(
  request: Request,
  next: (request: Request) => Promise<Response>,
) => Promise<Response>;

/**
 * Middleware that reports every chunk off the wire. The SDK swallows `ping` events, and they are all that comes while a
 * model thinks in silence.
 */
export function reportingChunks(onActivity: () => void): Fetching {
  return async (request, next) => {
    const response = await next(request);
    if (!response.ok || response.body === null) return response;
    const reported = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onActivity();
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(reported), response);
  };
}
