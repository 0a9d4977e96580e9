// Pure: no server.
import { loadSpec, type AgentSpec } from '../../../../src';

function load(fields: string, env: Record<string, string>): AgentSpec {
  const text = `agents:\n  - id: desk\n    model: openai/x\n${fields}`;
  return loadSpec({ text }, { env }).get('desk')?.spec as AgentSpec;
}

describe('${env:NAME}', () => {
  it.each<[string, string, Record<string, string>, Partial<AgentSpec>]>([
    [
      'is the value of the variable',
      'instructions: Hi ${env:WHO}!',
      { WHO: 'Ada' },
      { instructions: 'Hi Ada!' },
    ],
    [
      'may stand twice',
      'instructions: ${env:A}${env:B}',
      { A: 'x', B: 'y' },
      { instructions: 'xy' },
    ],
    ['has a default', 'instructions: ${env:WHO:-you:all}', {}, { instructions: 'you:all' }],
    [
      'has a default for an empty value, too',
      'instructions: Hi ${env:WHO:-you}',
      { WHO: '' },
      { instructions: 'Hi you' },
    ],
    ['may be empty', 'instructions: Hi${env:WHO}', { WHO: '' }, { instructions: 'Hi' }],
    ['is a number where one is expected', 'maxTurns: ${env:N}', { N: '7' }, { maxTurns: 7 }],
    ['is a number with zeros before it, too', 'maxTurns: ${env:N}', { N: '007' }, { maxTurns: 7 }],
    ['is a number in quotes, too', 'maxTurns: "${env:N:-8}"', {}, { maxTurns: 8 }],
    [
      'stays text where one is expected',
      'instructions: ${env:N}',
      { N: '007' },
      { instructions: '007' },
    ],
    [
      'is false where that is a choice',
      'askUser: ${env:ASK}',
      { ASK: 'false' },
      { askUser: false },
    ],
    [
      'is not looked at again',
      'instructions: ${env:A}',
      { A: '${env:B}' },
      { instructions: '${env:B}' },
    ],
    ['brings in no YAML', 'instructions: ${env:A}', { A: '[1, 2]' }, { instructions: '[1, 2]' }],
    [
      'stays as it is behind another dollar',
      'instructions: $${env:A}',
      {},
      { instructions: '${env:A}' },
    ],
    ['loses one of several dollars', 'instructions: $$${env:A}', {}, { instructions: '$${env:A}' }],
    [
      'stands within a schema',
      'settings: { extra: { a: { b: ["${env:A}"] } } }',
      { A: 'x' },
      { settings: { extra: { a: { b: ['x'] } } } },
    ],
  ])('%s', (_, field, env, expected) => {
    const model = { provider: 'openai', model: 'x' };
    expect(load(`    ${field}\n`, env)).toEqual({ kind: 'agent', id: 'desk', model, ...expected });
  });

  it('is the environment of the process by default', () => {
    const text = 'agents: [{ id: desk, model: openai/x, instructions: "${env:PATH}" }]';
    expect(loadSpec({ text }).get('desk')?.spec).toMatchObject({ instructions: process.env.PATH });
  });

  it("takes potato-agent's default provider", () => {
    const text =
      'agents: [{ id: desk, model: gpt-4o, context: { window: 9000, model: gpt-4o-mini } }]';
    const env = { POTATO_HEAD_DEFAULT_PROVIDER: 'OpenAI' };
    expect(loadSpec({ text }, { env }).get('desk')?.spec).toMatchObject({
      model: { provider: 'openai', model: 'gpt-4o' },
      context: { model: { provider: 'openai', model: 'gpt-4o-mini' } },
    });
  });
});
