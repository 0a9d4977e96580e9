import { limits, LonghaulError } from '../protocol';

/** The limit for one event of a stream, and for an answer that is not a stream. */
const mostPiece = 4 * limits.modelTurn;
/** The limit for a whole stream. Each piece of a word comes with some hundred bytes around it. */
const mostStream = 64 * limits.modelTurn;

/** `fetch` without redirects, which would send credentials in headers elsewhere. */
export async function unredirectedFetch(
  url: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  return await fetch(url, { ...init, redirect: 'manual' });
}

/** As `unredirectedFetch`, with a bounded body. */
export async function boundedFetch(
  url: string | URL | Request,
  init?: RequestInit,
  onChunk?: () => void,
): Promise<Response> {
  return boundedBody(await unredirectedFetch(url, init), onChunk);
}

/** The response with a body that fails with `PayloadTooLarge` over the limits. Calls `onChunk` for every chunk. */
export function boundedBody(response: Response, onChunk?: () => void): Response {
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.includes('event-stream') === true;
  let [all, piece] = [0, 0];
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onChunk?.();
      const end = isStream ? endOfEvent(chunk) : -1;
      piece = end < 0 ? piece + chunk.length : chunk.length - end;
      all += chunk.length;
      if (piece > mostPiece) throw tooLarge('an event of', mostPiece);
      if (all > mostStream) throw tooLarge('a stream of', mostStream);
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bounded), response);
}

function tooLarge(what: string, most: number): LonghaulError {
  return new LonghaulError(
    'PayloadTooLarge',
    `the provider sent ${what} more than ${most / 1024 ** 2} MiB, and did not end. Lower maxOutputTokens`,
  );
}

/** The end of the last event in a piece of a stream, with its empty line. */
function endOfEvent(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
}
