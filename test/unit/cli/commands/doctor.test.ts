// Pure: no server.
import { checkAgents, renderChecks } from '../../../../src/cli/commands/doctor';
import {
  checkNode,
  checkProtobufjs,
  checkProviderKeys,
  checkTemporalSdk,
  checkWindows,
} from '../../../../src/cli/doctor/machine-checks';
import {
  howItWasTerminated,
  manyExecutions,
  openRunChecks,
} from '../../../../src/cli/doctor/run-checks';
import { lookAtEach, summary } from '../../../../src/cli/doctor/look';
import type { LoadedAgents } from '../../../../src/cli/session/agents';
import { isGone } from '../../../../src/server/pollers';
import { createStyle } from '../../../../src/cli/render/text';
import { defineAgent } from '../../../../src';
import manifest from '../../../../package.json';
import type { CreateWorkerOptions } from '../../../../src/worker';
import { workerRegistry } from '../../../../src/worker/options';

function agentsWith(model: string, providers: CreateWorkerOptions['providers'] = {}): LoadedAgents {
  const options = { runners: [defineAgent({ id: 'a', model })], providers };
  return { options, registry: workerRegistry(options), files: [], missing: [] };
}

describe('checkNode', () => {
  it.each([
    ['v22.12.0', 'warn'],
    ['v22.18.0', 'ok'],
    ['v24.0.0', 'ok'],
  ])('%s: %s', (version, status) => {
    expect(checkNode(version).status).toBe(status);
  });
});

describe('checkProtobufjs', () => {
  it.each([
    { name: 'one copy', find: () => ({ common: '/a', proto: '/a' }), status: 'ok' },
    { name: 'two copies', find: () => ({ common: '/a', proto: '/b' }), status: 'fail' },
    {
      name: 'none',
      find: () => {
        throw new Error('Cannot find module\nRequire stack');
      },
      status: 'fail',
    },
  ])('$name: $status', ({ find, status }) => {
    expect(checkProtobufjs(find).status).toBe(status);
  });

  it('says what makes them one', () => {
    const { todo } = checkProtobufjs(() => ({ common: '/a', proto: '/b' }));
    const major = /^\^(\d+)\./.exec(manifest.peerDependencies.protobufjs)?.[1];
    expect(todo).toBe(`run \`npm install protobufjs@${major}\``);
  });

  it('finds one copy here', () => {
    expect(checkProtobufjs()).toEqual({ name: 'protobufjs', status: 'ok', message: 'one copy' });
  });
});

describe('checkTemporalSdk', () => {
  const worker = { name: '@temporalio/worker', version: '1.24.0', folder: '/app/worker' };

  it.each([
    { copies: [worker], status: 'ok', message: '1.24.0, one copy' },
    { copies: [worker, { ...worker, folder: '/other' }], status: 'fail', message: '/other' },
    { copies: [{ ...worker, version: '1.22.0' }], status: 'fail', message: '1.22.0' },
  ])('$status: $message', ({ copies, status, message }) => {
    expect(checkTemporalSdk(copies)).toMatchObject({
      status,
      message: expect.stringContaining(message) as string,
    });
  });
});

describe('checkProviderKeys', () => {
  const secret = 'sk-very-secret';

  it.each([
    { name: 'no agents, no key', agents: undefined, env: {}, status: 'warn' },
    {
      name: 'no agents, a key',
      agents: undefined,
      env: { OPENAI_API_KEY: secret },
      status: 'ok',
    },
    { name: 'a missing key', agents: agentsWith('openai/x'), env: {}, status: 'warn' },
    {
      name: 'an empty key',
      agents: agentsWith('openai/x'),
      env: { OPENAI_API_KEY: ' ' },
      status: 'warn',
    },
    {
      name: 'the key of another provider',
      agents: agentsWith('anthropic/x'),
      env: { OPENAI_API_KEY: secret },
      status: 'warn',
    },
    {
      name: 'one of two variables',
      agents: agentsWith('google/x'),
      env: { GOOGLE_API_KEY: secret },
      status: 'ok',
    },
    {
      name: 'a provider with a variable of its own name',
      agents: agentsWith('groq/x'),
      env: { GROQ_API_KEY: secret },
      status: 'ok',
    },
    {
      name: 'a key in the configuration',
      agents: agentsWith('openai/x', { openai: { apiKey: secret } }),
      env: {},
      status: 'ok',
    },
    {
      name: 'a local server',
      agents: agentsWith('ollama/x', { ollama: { baseURL: 'http://127.0.0.1:11434/v1' } }),
      env: {},
      status: 'ok',
    },
  ])('$name: $status, and never says the key', ({ agents, env, status }) => {
    const check = checkProviderKeys(env, agents);
    expect(check.status).toBe(status);
    expect(JSON.stringify(check)).not.toContain(secret);
  });
});

describe('checkWindows', () => {
  const contextOf = (model: string, prices: CreateWorkerOptions['prices'] = {}): LoadedAgents => {
    const options = { runners: [defineAgent({ id: 'a', model, context: {} })], prices };
    return { options, registry: workerRegistry(options), files: [], missing: [] };
  };

  it('names the agents whose window nobody knows', () => {
    expect(checkWindows(contextOf('ollama/llama3.1:8b'))).toEqual([
      expect.objectContaining({
        status: 'warn',
        message:
          'not known for a (ollama/llama3.1:8b): a prompt gets smaller only after the provider refused it',
      }),
    ]);
  });

  it.each([
    { name: 'of a public model', agents: contextOf('openai/gpt-6.1-terra') },
    {
      name: 'of the prices',
      agents: contextOf('ollama/x', { 'ollama/x': { input: 0, output: 0, window: 8_192 } }),
    },
    { name: 'that no agent needs', agents: agentsWith('ollama/x') },
  ])('says nothing of a window $name', ({ agents }) => {
    expect(checkWindows(agents)).toEqual([]);
  });
});

describe('checkAgents', () => {
  const folder = 'examples/specs/environments';
  it.each([
    { name: 'a file', flags: { file: [folder] }, check: `clerk (${folder})`, model: 'gpt-6-luna' },
    {
      name: 'with an overlay',
      flags: { file: [folder], overlay: ['prod'] },
      check: `clerk (${folder})`,
      model: 'gpt-6.1-sol',
    },
    {
      name: 'an overlay alone',
      flags: { overlay: ['prod'] },
      check: '--overlay needs specs: name them with -f',
      model: undefined,
    },
  ])('looks at specs: $name', async ({ flags, check, model }) => {
    const checked = await checkAgents(flags);
    const spec = checked.agents?.registry.definition('clerk').runners['clerk'];
    expect(checked.check).toMatchObject([{ name: 'agents', message: check }]);
    expect(spec).toEqual(
      model && expect.objectContaining({ model: { provider: 'openai', model } }),
    );
  });

  it('checks nothing where there is nothing', async () => {
    expect(await checkAgents({})).toEqual({ check: [], agents: undefined });
  });
});

describe('renderChecks', () => {
  it('puts what to do under what is wrong', () => {
    const checks = [
      { name: 'node', status: 'ok', message: 'Node v24' },
      { name: 'worker', status: 'fail', message: 'none\npolls', todo: 'start one' },
    ] as const;
    expect(renderChecks(checks, createStyle(false))).toEqual([
      'ok    node              Node v24',
      'fail  worker            none polls',
      '                        → start one',
    ]);
  });
});

describe('openRunChecks', () => {
  it('says of each open run what is wrong with it, and where it stopped looking', () => {
    const retry = (attempt: number) => ({
      ...{ what: 'tool pay', workflowId: `run-${attempt}`, attempt, lastError: 'down' },
    });
    const runs = [
      { stuck: 's (attempt 4): broken' },
      { retried: [retry(7), retry(9)] },
      { retried: [retry(6), retry(8)] },
      { halted: 'h' },
      { pinned: 'p' },
    ];
    const worst = [9, 8, 7].map((count) => `tool pay of run-${count} (attempt ${count}): down`);
    const cutOff = 'looked at 200 open runs, not at all';
    const checks = openRunChecks({ runs, cutOff });
    expect(checks.map(({ name, status, message }) => [name, status, message])).toEqual([
      ['stuck runs', 'fail', `s (attempt 4): broken (${cutOff})`],
      ['retried calls', 'warn', `${worst.join('; ')}; and 1 more (${cutOff})`],
      ['pinned runs', 'fail', `p (${cutOff})`],
      ['halted runs', 'fail', `h (${cutOff})`],
    ]);
    expect(openRunChecks({ runs: [] }).map(({ status, message }) => [status, message])).toEqual(
      Array(4).fill(['ok', 'none']),
    );
  });
});

describe('summary', () => {
  it('names five, and counts the rest', () => {
    expect(summary([...'abcdefg'])).toBe('a; b; c; d; e; and 2 more');
  });
});

describe('manyExecutions', () => {
  const executions = (workflowId: string, count: number) =>
    Array.from({ length: count }, () => ({
      workflowId,
      status: { code: 6 as const, name: 'CONTINUED_AS_NEW' as const },
    }));

  it('names ids with more than 20, the worst first', () => {
    const all = [...executions('twenty', 20), ...executions('more', 21), ...executions('most', 30)];
    expect(manyExecutions(all)).toEqual([
      'most (30 executions in an hour, 30 of them continued as new)',
      'more (21 executions in an hour, 21 of them continued as new)',
    ]);
  });
});

describe('howItWasTerminated', () => {
  it.each([
    { identity: 'ada@host', reason: '', how: 'terminated by ada@host' },
    { identity: '', reason: 'too \u001b[31mlarge', how: 'terminated: too large' },
    { identity: 'history-service', reason: 'by parent close policy', how: undefined },
  ])('$identity, $reason: $how', ({ identity, reason, how }) => {
    expect(howItWasTerminated(identity, reason)).toBe(how);
  });
});

describe('lookAtEach', () => {
  const items = Array.from({ length: 25 }, (_item, index) => index);

  it('goes on after what the server does not tell, and counts it as not looked at', async () => {
    const look = async (item: number): Promise<number | undefined> => {
      if (item === 3) throw new Error('Deadline exceeded');
      return item > 22 ? item : undefined;
    };
    expect(await lookAtEach(items, Infinity, look)).toEqual({ found: [23, 24], looked: 24 });
  });

  it('ends when its time is up, and with the error when nothing could be looked at', async () => {
    expect(await lookAtEach(items, 0, async (item) => item)).toEqual({ found: [], looked: 0 });
    const refused = lookAtEach(items, Infinity, () => Promise.reject(new Error('refused')));
    await expect(refused).rejects.toThrow('refused');
  });
});

describe('isGone', () => {
  const unusedPid = 2 ** 22 + 1;

  it.each([
    { identity: `${process.pid}@here`, gone: false },
    { identity: `${unusedPid}@here`, gone: true },
    { identity: `longhaul-run-${unusedPid}@here`, gone: true },
    { identity: `${unusedPid}@here#2`, gone: true },
    { identity: `${process.pid}@here#2`, gone: false },
    { identity: `${unusedPid}@elsewhere`, gone: false },
    { identity: 'my worker', gone: false },
  ])('$identity: $gone', ({ identity, gone }) => {
    expect(isGone(identity, 'here')).toBe(gone);
  });
});
