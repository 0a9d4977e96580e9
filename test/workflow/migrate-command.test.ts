// Waiting runs that move to a corrected definition: in a conversation, from the command line, over workers that go.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, type Agent } from '../../src';
import { runCli } from '../../src/cli/run-cli';
import { scriptedModel, type ScriptedModel } from '../../src/testing';
import { devServerAddress } from '../servers';
import { fakeTerminal } from '../unit/cli/fake-terminal';
import { askUser } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

const agentOf = (instructions: string): Agent =>
  defineAgent({ id: 'helper', model: 'scripted/one', instructions, askUser: 'tool' });

const told = ({ requests }: ScriptedModel): readonly unknown[] =>
  requests.map(({ instructions }) => instructions);

describe('a run that moves to another definition', () => {
  let harness: Harness;
  let model: ScriptedModel;
  beforeEach(async () => {
    harness = await openHarness(undefined, 'migrate-command');
    model = scriptedModel([askUser('Which?'), 'Done.']);
  });
  afterEach(() => harness.close());

  const serve = (instructions: string) =>
    harness.worker({ runners: [agentOf(instructions)], providers: { scripted: model } });

  it('is a turn of a conversation, by the id of its run', async () => {
    const old = await serve('old');
    const thread = harness.longhaul.thread({ agent: 'helper', sessionId: harness.taskQueue });
    const turn = await thread.send('Go.');
    await turn.outcome();
    await old.stop();
    await serve('new');
    await harness.longhaul.run(turn.workflowId).migrate('helper');
    await eventually('the thread to list the question', async () => {
      return (await thread.state()).pending.length > 0;
    });
    await thread.resume('that');
    expect((await turn.result()).finalResponse.text).toBe('Done.');
    expect(told(model)).toEqual(['old', 'new']);
  });

  it('goes on when another worker takes over before and after', async () => {
    const old = await serve('old');
    const run = await harness.longhaul.start('helper', 'Go.');
    await run.outcome();
    await old.stop();
    const fresh = await serve('new');
    await run.migrate('helper');
    await fresh.stop();
    await serve('newer');
    await run.resume('that');
    await run.result();
    expect(told(model)).toEqual(['old', 'new']);
  });

  it('is a command, which takes an id or specs, and says what happened', async () => {
    await serve('old');
    const run = await harness.longhaul.start('helper', 'Go.');
    await run.outcome();
    const folder = mkdtempSync(join(tmpdir(), 'longhaul-migrate-'));
    const file = join(folder, 'agents.yaml');
    const spec = (id: string): string =>
      `agents: [{ id: ${id}, model: scripted/one, instructions: spec, askUser: tool }]`;
    writeFileSync(file, spec('helper'));
    const command = async (...args: string[]): Promise<string> => {
      const terminal = fakeTerminal();
      const server = ['--address', devServerAddress(), '--as', 'ada'];
      const exit = await runCli(['migrate', run.workflowId, ...server, ...args], terminal);
      return [`exit ${exit}`, ...terminal.printed, ...terminal.noted].join('\n');
    };
    try {
      expect(await command('--to', 'helper')).toMatch(/^exit 0\n.* has this definition already/);
      expect(await command('--to', 'other')).toMatch(/^exit 1\n.*not of 'other'/s);
      expect(await command('--to', 'helper', '--overlay', 'x')).toMatch(/^exit 2\n.*needs specs/s);
      expect(await command('--to', file, '--note', 'why')).toMatch(/^exit 0\nmoved .* from .* to /);
      writeFileSync(file, spec('strange'));
      expect(await command('--to', file)).toMatch(/^exit 2\n.*has no agent 'helper'/s);
    } finally {
      rmSync(folder, { recursive: true });
    }
    await run.resume('that');
    await run.result();
    expect(told(model)).toEqual(['old', 'spec']);
    expect(await run.audit()).toContainEqual(
      expect.objectContaining({ kind: 'migration', by: { id: 'ada' }, note: 'why' }),
    );
  });
});
