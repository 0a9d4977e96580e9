/**
 * A fetch that reports every chunk off the wire. The SDK swallows the comments that servers send to keep a stream alive, and
 * they are all that comes while a model works through a long prompt.
 */
export function reportingFetch(onActivity: () => void): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
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
