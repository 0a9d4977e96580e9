// `longhaul chat` as processes of their own and `longhaul list --threads` in this one, against the dev server of this Jest run.
import { randomUUID } from 'node:crypto';
import { devServerAddress } from '../servers';
import { builtCli, until, type BuiltCli } from './built-cli';
import { runInProcess } from './in-process-cli';

const parrot = `
import { defineAgent } from 'longhaul';
import { scriptedModel } from 'longhaul/testing';
const answer = ({ messages }) => messages.map(({ parts }) => parts[0].text).join(' ');
const provider = { name: 'scripted', call: (...args) => scriptedModel([answer]).call(...args) };
export default { runners: [defineAgent({ id: 'parrot', model: 'scripted/one' })], providers: { scripted: provider } };
`;

describe('longhaul chat', () => {
  let cli: BuiltCli;
  let project: string;
  beforeAll(async () => {
    cli = await builtCli();
    project = await cli.project({ 'longhaul.config.mjs': parrot });
  });
  afterEach(() => cli.killAll());

  it('goes on with what was said to the command before it', async () => {
    const session = `chat-${randomUUID()}`;
    const flags = ['--session', session, '--user', 'ada', '--task-queue', session];
    const say = (input: string) => cli.run(['chat', 'parrot', ...flags], { cwd: project, input });
    expect(await say('a\n\nb\n')).toMatchObject({ code: 0, stdout: 'a\na a b\n' });
    expect(await say('c\n')).toMatchObject({ code: 0, stdout: 'a a b a a b c\n' });
    const server = ['--address', devServerAddress()];
    await until(async () => {
      const { stdout } = await runInProcess(
        ...['list', '--threads', '--json', '--user', 'ada', ...server],
      );
      const listed = JSON.parse(stdout) as { key?: { sessionId: string } }[];
      return listed.some(({ key }) => key?.sessionId === session);
    });
    const { stdout: threads, stderr } = await runInProcess(
      'list',
      '--threads',
      '--user',
      'ada',
      ...server,
    );
    expect(threads).toContain(session);
    const shows = /show (\S+)/.exec(stderr)?.[1] ?? '';
    expect(shows).toContain('/ada/');

    const threadId = `thread:${session}/ada/${session}`;
    const { stdout: shown } = await runInProcess('show', threadId, ...server);
    const turns = shown.split('\n').filter((line) => /\.turn-\d.* {2}completed$/.test(line));
    expect(turns).toHaveLength(3);
    expect(shown).toContain(`${threadId}  running`);
    const [turnId = ''] = turns[0]?.split(' ') ?? [];
    expect((await runInProcess('show', turnId, ...server)).stdout).toContain('text response');
  });
});
