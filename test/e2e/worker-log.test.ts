// `longhaul worker` as a process of its own: what its log says of a tool that throws.
import { freePort } from '../../src/server/dev/dev-server';
import { devServerAddress } from '../servers';
import { builtCli, type BuiltCli, type RunningCli } from './built-cli';
import { runInProcess } from './in-process-cli';

const config = (port: number): string => `
import { defineAgent, defineTool } from 'longhaul';
import { scriptedModel } from 'longhaul/testing';

const weather = defineTool({
  name: 'weather',
  description: 'The weather',
  inputSchema: { type: 'object' },
  effect: 'once',
  execute: async function askWeather(_, { log }) {
    log.info('asks for the weather', { city: 'Oslo' });
    try {
      return await (await fetch('http://127.0.0.1:${port}')).text();
    } catch (cause) {
      throw new TypeError('no weather', { cause });
    }
  },
});
const model = scriptedModel([{ toolCalls: [{ name: 'weather' }] }, 'It is not known.'], { per: 'conversation' });
export default {
  runners: [defineAgent({ id: 'forecast', model: 'scripted/one', tools: [weather] })],
  providers: { scripted: model },
};
`;

describe('the log of a worker', () => {
  let cli: BuiltCli;
  let cwd: string;
  let taskQueue: string;

  beforeAll(async () => {
    process.env['TEMPORAL_ADDRESS'] = devServerAddress();
    cli = await builtCli();
    const port = await freePort();
    taskQueue = `worker-log-${port}`;
    cwd = await cli.project({ 'longhaul.config.mjs': config(port) });
  });
  afterEach(() => cli.killAll());

  const served = async (...args: string[]): Promise<RunningCli> => {
    const worker = cli.start(['worker', '--task-queue', taskQueue, ...args], { cwd });
    await worker.shows(/forecast/);
    const flags = ['--no-worker', '--task-queue', taskQueue];
    const { stdout } = await runInProcess('run', 'forecast', 'hi', ...flags);
    expect(stdout).toBe('It is not known.\n');
    return worker;
  };

  it('has the file of the user, the cause, the run and the call, on one line with its stack', async () => {
    const worker = await served();
    await worker.shows(/at .*askWeather.*longhaul\.config\.mjs.*\n/);
    const stderr = worker.stderr();
    expect(stderr).toMatch(/ INFO {2}asks for the weather .*agentId=forecast .*city=Oslo$/m);
    const [line = ''] = stderr.match(/^.*tool 'weather' failed.*$/m) ?? [];
    expect(line).toMatch(
      / ERROR tool 'weather' failed: TypeError: no weather: fetch failed: connect ECONNREFUSED 127\.0\.0\.1:\d+ /,
    );
    expect(line).toMatch(
      / workflowId=forecast-\w+ agentId=forecast turn=1 attempt=1 callId=\S+ tool=weather/,
    );
    expect(stderr).toMatch(/^ {8}at .*askWeather.* \(.*longhaul\.config\.mjs:\d+:\d+\)$/m);
    expect(stderr).not.toContain('Activity failed');
  });

  it('is JSON for machines', async () => {
    const worker = await served('--log', 'json');
    await worker.shows(/^\{.*"ERROR".*\}\n/m);
    const lines = worker
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const failed = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find(({ level }) => level === 'ERROR');
    expect(failed).toMatchObject({
      message: expect.stringContaining('ECONNREFUSED') as string,
      tool: 'weather',
      error: {
        name: 'TypeError',
        stack: expect.stringContaining('longhaul.config.mjs') as string,
        causes: [
          { message: 'fetch failed' },
          { message: expect.stringContaining('ECONNREFUSED') as string },
        ],
      },
    });
  });
});
