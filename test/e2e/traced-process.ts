import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { PlainSpan } from '../unit/telemetry/otel/plain-span';
import { eventually } from '../workflow/eventually';
import { builtPackage, compiledOnce } from './built-package';
import type { TracedMessage, TracedSettings } from './traced-worker.mts';

/** A worker with telemetry in a process of its own. */
export class TracedProcess {
  /** The spans that it told of by itself, beside the exporter. */
  readonly spans: PlainSpan[] = [];
  /** All that it printed. */
  output = '';
  readonly #child: ChildProcess;
  #isPolling = false;
  #metrics: string | undefined;

  private constructor(script: string, settings: TracedSettings) {
    const env = { ...process.env, ...compiledOnce() };
    this.#child = fork(script, [JSON.stringify(settings)], { env, silent: true });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.#child.on('message', ({ polling, span, metrics }: TracedMessage) => {
      this.#isPolling ||= polling === true;
      if (span !== undefined) this.spans.push(span);
      this.#metrics = metrics ?? this.#metrics;
    });
  }

  static async start(settings: Omit<TracedSettings, 'packages'>): Promise<TracedProcess> {
    const script = join(await builtPackage(), `${randomUUID()}.mts`);
    copyFileSync(join(__dirname, 'traced-worker.mts'), script);
    const packages = resolve(__dirname, '../../package.json');
    const started = new TracedProcess(script, { ...settings, packages });
    await eventually('a worker polls', () => {
      if (started.#hasEnded) throw new Error(`the worker ended:\n${started.output}`);
      return started.#isPolling;
    });
    return started;
  }

  /** JSON of all that it measured. */
  async metrics(): Promise<string> {
    this.#child.send('metrics');
    await eventually('the metrics of a worker', () => this.#metrics !== undefined);
    return this.#metrics ?? '';
  }

  async kill(): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
