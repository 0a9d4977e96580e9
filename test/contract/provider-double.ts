import { LLMock, type FixtureFileResponse } from '@copilotkit/aimock';
import { LocalServer } from './provider-servers';

/** An independent double of the provider's API, behind a tap that keeps what was on the wire. */
export class ProviderDouble {
  readonly tap: LocalServer;
  readonly #mock: LLMock;
  #script: FixtureFileResponse[] = [];

  private constructor(mock: LLMock, tap: LocalServer) {
    this.#mock = mock;
    this.tap = tap;
  }

  static async start(): Promise<ProviderDouble> {
    const mock = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 7 });
    const double = new ProviderDouble(mock, await LocalServer.tap(await mock.start()));
    mock.on({ predicate: () => true }, () => {
      const next = double.#script.shift();
      if (next === undefined) throw new Error('The provider called more often than scripted.');
      return next as never;
    });
    return double;
  }

  /** What the next calls are answered with, one each. */
  answers(...script: FixtureFileResponse[]): void {
    this.#script = script;
    this.tap.requests.length = 0;
    this.tap.passedBack.length = 0;
  }

  async stop(): Promise<void> {
    await this.tap.stop();
    await this.#mock.stop();
  }
}
