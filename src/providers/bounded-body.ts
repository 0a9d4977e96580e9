import { LonghaulError } from '../protocol/errors';
import { limits } from '../protocol/limits';

/** Of one event of a stream, and of an answer that is no stream: what is kept of a turn, and as much again for what surrounds it, twice. */
const mostPiece = 4 * limits.modelTurn;
/** Of a stream in all: a piece of a word comes with some hundred bytes around it. */
const mostStream = 64 * limits.modelTurn;

/** `fetch` that stays where it is sent: headers with credentials would go along with a redirect. */
export async function unredirectedFetch(
  url: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  return await fetch(url, { ...init, redirect: 'manual' });
}

/** The same, with a body that is bounded. */
export async function boundedFetch(
  url: string | URL | Request,
  init?: RequestInit,
  onChunk?: () => void,
): Promise<Response> {
  return boundedBody(await unredirectedFetch(url, init), onChunk);
}

/** The response with a body that ends in `PayloadTooLarge` beyond the bounds; every chunk of it is told to `onChunk`. */
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

/** Where the last event in a piece of a stream ends, with its empty line. */
function endOfEvent(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
}
