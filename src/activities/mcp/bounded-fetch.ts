import { PayloadTooLarge } from '../../protocol/error-classes';

/** Of one message of a server. */
export const mostMessageBytes = 4 * 1024 * 1024;

/** `fetch` for MCP over HTTP, whose answers end with an error where a message, or what is no stream of messages, is too large. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = isStream ? endOfEvent(chunk) : -1;
      bytes = end < 0 ? bytes + chunk.length : chunk.length - end;
      if (bytes > mostMessageBytes) throw tooLarge();
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bounded), response);
}

export function tooLarge(): PayloadTooLarge {
  return new PayloadTooLarge(`it sent a message of more than ${mostMessageBytes / 1024 ** 2} MiB`);
}

/** Where the last event in a piece of a stream ends, with its empty line. */
function endOfEvent(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
}
