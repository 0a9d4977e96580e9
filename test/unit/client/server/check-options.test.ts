// Pure: no server. What is refused is refused before anything is sent.
import type { Client } from '@temporalio/client';
import { connect, Longhaul } from '../../../../src/client';

const longhaul = (): Longhaul =>
  new Longhaul({ workflow: {}, connection: {}, options: {} } as unknown as Client, {
    taskQueue: 'q',
  });
const thread = () => longhaul().thread({ agent: 'a', sessionId: 's' });
/** As JavaScript, or a spread, gives them. */
const wrong = (options: object) => options as never;

describe('unknown options', () => {
  const calls: Record<string, (options: never) => unknown> = {
    connect: (options) => connect(options),
    start: (options) => longhaul().start('a', 'Hello', options),
    run: (options) => longhaul().run('a-1', options),
    thread: (options) => longhaul().thread(options),
    send: (options) => thread().send('Hello', options),
    turns: (options) => thread().turns(options),
    resume: (options) => longhaul().run('a-1').resume('yes', options),
    approve: (options) => longhaul().run('a-1').approve('a1.0', options),
    events: (options) => longhaul().run('a-1').events(options),
    log: (options) => longhaul().run('a-1').log(options),
    reset: (options) => longhaul().run('a-1').reset(options),
  };
  const misspelt: readonly (readonly [method: string, options: object, meant: string])[] = [
    ['connect', { adress: 'a:1' }, "'adress' .* 'address'"],
    ['connect', { taskqueue: 'q' }, "'taskqueue' .* 'taskQueue'"],
    ['start', { sesion: {} }, "'sesion' .* 'session'"],
    ['run', { withoutWorkers: true }, "'withoutWorkers' .* 'withoutWorker'"],
    ['thread', { agent: 'a', sessionID: 's' }, "'sessionID' .* 'sessionId'"],
    ['send', { mesageId: 'm' }, "'mesageId' .* 'messageId'"],
    ['turns', { lst: 1 }, "'lst' .* 'last'"],
    ['resume', { inputID: 'a1.0' }, "'inputID' .* 'inputId'"],
    ['approve', { arg: {} }, "'arg' .* 'args'"],
    ['events', { form: 1 }, "'form' .* 'from'"],
    ['log', { form: 1 }, "'form' .* 'from'"],
    ['reset', { to: 1, confrim: () => true }, "'confrim' .* 'confirm'"],
  ];

  it.each(misspelt)('of %s are refused: %j', async (method, options, meant) => {
    const refusal = expect.objectContaining({
      code: 'InvalidInput',
      message: expect.stringMatching(meant) as string,
    }) as Error;
    await expect(async () => await calls[method]?.(wrong(options))).rejects.toThrow(refusal);
  });

  it('are named where nothing is near', async () => {
    await expect(connect(wrong({ colour: 'red' }))).rejects.toThrow(
      "'colour' is not a member of the options of connect",
    );
  });

  it.each(['127.0.0.1:7233', null, ['a']])('are no other value: %j', async (options) => {
    await expect(connect(options as never)).rejects.toThrow(
      /^connect takes an object of options, not /,
    );
  });
});
