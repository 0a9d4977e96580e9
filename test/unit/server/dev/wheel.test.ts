// Runs small processes; no server.
import { runCommand } from '../../../../src/server/dev/wheel';

function run(script: string, timeoutMs = 10_000): Promise<string> {
  return runCommand(process.execPath, ['-e', script], { env: process.env, timeoutMs });
}

describe('runCommand', () => {
  it('resolves with what the command printed', async () => {
    expect(await run('console.log("out")')).toBe('out\n');
  });

  it.each([
    {
      name: 'the error it printed last',
      script: 'console.error("ERROR: no network\\nbye"); process.exit(1)',
      reason: 'ERROR: no network',
    },
    {
      name: 'its last line when none is called an error',
      script: 'console.log("first\\nlast"); process.exit(1)',
      reason: 'last',
    },
    {
      name: 'its exit code when it printed nothing',
      script: 'process.exit(3)',
      reason: 'exit code 3',
    },
  ])('rejects with $name', async ({ script, reason }) => {
    await expect(run(script)).rejects.toThrow(reason);
  });

  it('kills a command that takes too long', async () => {
    await expect(run('setInterval(() => {}, 1000)', 200)).rejects.toThrow('gave up after 0.2 s');
  });

  it('says that a command cannot be run', async () => {
    const call = runCommand('/no/such/command', [], { env: {}, timeoutMs: 1_000 });
    await expect(call).rejects.toThrow('cannot run /no/such/command');
  });
});
