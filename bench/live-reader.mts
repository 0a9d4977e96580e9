// Reads the stream of a run as a browser does, over HTTP, event by event.

type Event = {
  readonly type: string;
  readonly delta?: string;
  readonly content?: readonly { readonly text?: string }[];
};

export class StreamReader {
  /** The text that was streamed since the last `step-begin`. */
  text = '';
  /** The text of the turn, as the log has it. */
  logged: string | undefined;
  hasEnded = false;
  /** The events with text. */
  pieces = 0;
  /** How late each token was when it came, in milliseconds. */
  readonly lateMs: number[] = [];
  /** Settles when the stream is open. */
  readonly opened: Promise<void>;
  /** Settles when it has ended. */
  readonly read: Promise<this>;

  constructor(url: string) {
    let onOpen = (): void => undefined;
    const opened = new Promise<void>((resolve) => (onOpen = resolve));
    this.read = this.#read(url, onOpen);
    this.opened = Promise.race([opened, this.read.then(() => undefined)]);
  }

  async #read(url: string, onOpen: () => void): Promise<this> {
    const response = await fetch(url);
    if (!response.ok || response.body === null) throw new Error(await response.text());
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of response.body as AsyncIterable<Uint8Array>) {
      const now = process.hrtime.bigint();
      onOpen();
      const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
      rest = frames.pop() ?? '';
      for (const event of frames.flatMap(eventOf)) this.#take(event, now);
    }
    return this;
  }

  #take({ type, delta = '', content = [] }: Event, now: bigint): void {
    if (type === 'step-begin') this.text = '';
    else if (type === 'end') this.hasEnded = true;
    else if (type === 'step-end') this.logged = content.map(({ text = '' }) => text).join('');
    else if (type === 'text') {
      this.text += delta;
      this.pieces += 1;
      for (const token of delta.trim().split(' '))
        this.lateMs.push(Number(now - BigInt(token)) / 1e6);
    }
  }
}

function eventOf(frame: string): Event[] {
  const data = frame.split('\n').find((line) => line.startsWith('data: '));
  return data === undefined ? [] : [JSON.parse(data.slice(6)) as Event];
}
