// Writes server-sent events, for all streams.
//
// 1. It takes an event from its source only when the connection asks for one: a slow browser holds up its own stream and nothing else.
// 2. When the client goes away, at any byte, it aborts the source's signal and returns the iterator.
// 3. Silence is filled with comments, so that proxies keep the connection. An event is text as a whole, so no byte sequence is cut.

/** A text is the data of an event without a name. An empty `id` makes the client forget the last one. */
export type SseItem =
  string | { readonly id?: string; readonly event?: string; readonly data: string };

export type SseOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  /** The signal of the request. It aborts when the client is gone. */
  readonly signal?: AbortSignal;
  /** The silence after which a comment is sent, in milliseconds. Default 15 s. */
  readonly keepAliveMs?: number;
  /** Gets the error of a source that fails. The connection is then cut, so that the client comes again. */
  readonly onError?: (error: unknown) => void;
  /** It is aborted when the response is over, also if nobody has read it. */
  readonly gone?: AbortController;
};

const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Streams the events of a source. `source` is called when somebody reads the body. Its signal is aborted when the client is gone: a
 * generator that waits cannot be returned otherwise.
 */
export function sseResponse(
  source: (signal: AbortSignal) => AsyncIterable<SseItem>,
  options: SseOptions = {},
): Response {
  const stream = new SseSource(source, options);
  return new Response(new ReadableStream<Uint8Array>(stream, { highWaterMark: 0 }), {
    headers: { ...sseHeaders, ...options.headers },
  });
}

/** A request to the source. `answer` is set when the source has answered. */
type Asked = { answer?: () => IteratorResult<SseItem> };

class SseSource {
  readonly #open: (signal: AbortSignal) => AsyncIterable<SseItem>;
  readonly #options: SseOptions;
  readonly #encoder = new TextEncoder();
  readonly #gone: AbortController;
  #events: AsyncIterator<SseItem> | undefined;
  #asked: Asked | undefined;
  #wake: () => void = () => undefined;

  constructor(open: (signal: AbortSignal) => AsyncIterable<SseItem>, options: SseOptions) {
    this.#open = open;
    this.#options = options;
    this.#gone = options.gone ?? new AbortController();
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { signal } = this.#options;
    const close = (): void => {
      this.cancel();
      controller.close();
    };
    if (signal?.aborted === true) return close();
    signal?.addEventListener('abort', close, { once: true, signal: this.#gone.signal });
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const text = await this.#text();
      if (this.#gone.signal.aborted) return;
      if (text !== undefined) return controller.enqueue(this.#encoder.encode(text));
      this.#gone.abort();
      controller.close();
    } catch (error) {
      if (this.#gone.signal.aborted) return;
      this.#gone.abort();
      this.#options.onError?.(error);
      controller.error(error);
    }
  }

  cancel(): void {
    this.#gone.abort();
    this.#wake();
    void Promise.resolve(this.#events?.return?.()).catch(() => undefined);
  }

  /** What to send next. Undefined at the end. The first piece makes servers send the headers at once. */
  async #text(): Promise<string | undefined> {
    if (this.#events === undefined) {
      this.#events = this.#open(this.#gone.signal)[Symbol.asyncIterator]();
      return ':\n\n';
    }
    const asked = (this.#asked ??= this.#ask(this.#events));
    if (asked.answer === undefined) await this.#silence();
    if (asked.answer === undefined) return ': keep-alive\n\n';
    this.#asked = undefined;
    const next = asked.answer();
    return next.done === true ? undefined : frame(next.value);
  }

  #ask(events: AsyncIterator<SseItem>): Asked {
    const asked: Asked = {};
    const settle = (answer: () => IteratorResult<SseItem>): void => {
      asked.answer = answer;
      this.#wake();
    };
    events.next().then(
      (result) => settle(() => result),
      (error: unknown) =>
        settle(() => {
          throw error;
        }),
    );
    return asked;
  }

  /** Until the source answers, the client is gone, or it is time for a comment. */
  async #silence(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, this.#options.keepAliveMs ?? 15_000);
    });
    clearTimeout(timer);
  }
}

function frame(item: SseItem): string {
  const { id, event, data } = typeof item === 'string' ? { data: item } : item;
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${field('id', id)}${field('event', event)}${lines.join('')}\n`;
}

/** A line break would end the field, and a browser ignores an id with a null character. */
function field(name: string, value: string | undefined): string {
  return value === undefined ? '' : `${name}: ${value.replace(/[\r\n\0]/g, '')}\n`;
}
