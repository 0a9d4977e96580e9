// Pure: no server.

import { runnerConfig } from '../../../src/core/runner-config';
import { isRuledAlike, misfits, readMigration, type Waiting } from '../../../src/core/migration';
import type { AgentConfig } from '../../../src/protocol/activities';
import type { MachineInput } from '../../../src/protocol/agent-run';
import { limits } from '../../../src/protocol/limits';
import type { AgentSpec, Definition, ToolSpec } from '../../../src/protocol/spec';

const pay: ToolSpec = {
  name: 'pay',
  description: 'Pays',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
};

function definitionOf(tools: readonly ToolSpec[], agent: Partial<AgentSpec> = {}): Definition {
  const model = { provider: 'scripted', model: 'one' };
  const names = tools.map(({ name }) => name);
  return {
    format: 1,
    runner: 'payer',
    runners: { payer: { kind: 'agent', id: 'payer', model, tools: names, ...agent } },
    tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])),
  };
}

const configOf = (definition: Definition): AgentConfig =>
  runnerConfig(definition, 'payer') as AgentConfig;

const waitsFor = (kind: MachineInput['kind'], args: object = { amount: 80 }): Waiting => ({
  turn: 1,
  inputs: [
    {
      inputId: 'a1.0',
      kind,
      question: '?',
      call: { type: 'tool_call', callId: 'c', name: 'pay', args: args as never },
    },
  ],
});

function misfitsUnder(waiting: Waiting, tools: readonly ToolSpec[], maxTurns = 9): string {
  const definition = definitionOf(tools);
  const before = configOf(definitionOf([{ ...pay, result: 'client' }]));
  const after = { config: configOf(definition), definition, maxTurns };
  return misfits(waiting, before, after).join('; ');
}

describe('what a waiting run has open, under another definition', () => {
  const strict = { ...pay.inputSchema, additionalProperties: false, required: ['cents'] };
  it.each([
    ['an approval whose arguments fit', waitsFor('approval'), [pay], ''],
    [
      'an approval whose arguments do not fit',
      waitsFor('approval'),
      [{ ...pay, inputSchema: strict }],
      "call 'a1.0' of 'pay': it does not match the new schema: args.cents is required",
    ],
    ['an approval without its tool', waitsFor('approval'), [], 'has no such tool'],
    [
      'an approval under a schema that a workflow cannot check',
      waitsFor('approval'),
      [{ ...pay, inputSchema: { type: 'object', unevaluatedProperties: false } }],
      'its new schema cannot be checked here: unevaluatedProperties',
    ],
    ['a result from the same place', waitsFor('tool'), [{ ...pay, result: 'client' }], ''],
    ['a result from another place', waitsFor('tool'), [pay], 'comes from somewhere else'],
    [
      'a question',
      { turn: 1, inputs: [{ inputId: 'q', kind: 'question', question: '?' }] },
      [],
      '',
    ],
  ] as const)('%s', (_name, waiting, tools, problem) => {
    const said = misfitsUnder(waiting, tools);
    if (problem === '') expect(said).toBe('');
    else expect(said).toContain(problem);
  });

  it('needs one more model call', () => {
    expect(misfitsUnder({ turn: 3, inputs: [] }, [], 3)).toContain('the new maxTurns is 3');
    expect(misfitsUnder({ turn: 2, inputs: [] }, [], 3)).toBe('');
  });

  it('is ruled alike if the same people decide', () => {
    const before = configOf(definitionOf([pay]));
    const described = configOf(definitionOf([{ ...pay, description: 'Pays more', timeoutMs: 1 }]));
    const ruled = configOf(definitionOf([{ ...pay, approval: { by: { roles: ['boss'] } } }]));
    expect(isRuledAlike('pay', before, described)).toBe(true);
    expect(isRuledAlike('pay', before, ruled)).toBe(false);
    expect(isRuledAlike('gone', before, before)).toBe(false);
  });
});

describe('a request to move', () => {
  it('takes a runner, who asks, and a note', () => {
    const request = { runner: 'payer', by: { id: 'ada' }, note: 'why' };
    expect(readMigration(request)).toEqual(request);
    expect(readMigration({ runner: 'payer', by: null, note: null })).toEqual({ runner: 'payer' });
  });

  it.each([
    ['nothing', undefined, 'InvalidInput'],
    ['no runner', {}, 'InvalidInput'],
    ['an unknown member', { runner: 'payer', definiton: {} }, 'InvalidInput'],
    ['a forged actor', { runner: 'payer', by: { id: '' } }, 'InvalidInput'],
    ['a note that is no text', { runner: 'payer', note: 7 }, 'InvalidInput'],
    [
      'a note that is too long',
      { runner: 'payer', note: 'x'.repeat(limits.note + 1) },
      'InvalidAnswer',
    ],
    ['an id that no runner can have', { runner: 'not an id' }, 'InvalidInput'],
    [
      'a spec that is too large',
      { runner: { id: 'payer', x: 'x'.repeat(limits.definition) } },
      'PayloadTooLarge',
    ],
  ])('refuses %s', (_name, value, code) => {
    expect(() => readMigration(value)).toThrow(expect.objectContaining({ code }) as Error);
  });
});
