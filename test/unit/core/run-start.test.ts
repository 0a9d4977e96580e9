// Pure: no server.
import {
  checkWorkflowId,
  knownId,
  sentSpec,
  startMemo,
  toRunInput,
  typedAttributes,
  workflowTypeOf,
} from '../../../src/core/run-start';
import type { RunnerSpec } from '../../../src/protocol/spec';

const spec = { kind: 'graph', id: 'g' } as unknown as RunnerSpec;

describe('the start of a run', () => {
  it('takes of the options what belongs into the input', () => {
    const options = { workflowId: 'r', session: { a: 1 } };
    expect(toRunInput(spec, 'go', options)).toStrictEqual({
      runner: spec,
      input: 'go',
      session: { a: 1 },
    });
    expect(toRunInput('g', 'go', {})).toStrictEqual({ runner: 'g', input: 'go' });
  });

  it('is of the type of the runner, and of any where only the id is known', () => {
    expect(workflowTypeOf(spec)).toBe('graphWorkflow');
    expect(workflowTypeOf({ spec })).toBe('graphWorkflow');
    expect(workflowTypeOf('g')).toBe('agentWorkflow');
    expect(workflowTypeOf({ ...spec, kind: 'toString' } as never)).toBe('agentWorkflow');
  });

  it('can be found by its runner, its status and its key', () => {
    const key = ['acme', 'order-7'];
    expect(startMemo({ agent: 'g', path: 'g', key })).toEqual({
      longhaul: { agent: 'g', path: 'g', key },
    });
    expect(
      typedAttributes({ agent: 'g', key }).map(({ key: { name }, value }) => [name, value]),
    ).toEqual([
      ['LonghaulAgent', 'g'],
      ['LonghaulStatus', 'running'],
      ['LonghaulKey', key],
    ]);
  });

  it('has no key that nobody gave', () => {
    expect(startMemo({ agent: 'g', key: [] })).toEqual({ longhaul: { agent: 'g' } });
    expect(typedAttributes({ agent: 'g', key: [], status: 'completed' })).toHaveLength(2);
  });

  it('refuses a workflow id that cannot stand in a path', () => {
    expect(() => checkWorkflowId('team/run-1')).not.toThrow();
    expect(() => checkWorkflowId(' run')).toThrow(/^workflowId ' ?run' does not match /);
  });
});

describe('sentSpec', () => {
  it.each([spec, { spec }])('is the spec of %j', (runner) => {
    expect(sentSpec(runner)).toBe(spec);
  });

  it.each(['g', null, 7])('refuses %j', (runner) => {
    expect(() => sentSpec(runner as never)).toThrow('startSpec takes a spec');
  });
});

describe('knownId', () => {
  it.each([
    { name: 'an id', runner: 'g' },
    { name: 'a runner, whose spec stays here', runner: { spec: { id: 'g' } } },
  ])('is that of $name', ({ runner }) => {
    expect(knownId(runner as never)).toBe('g');
  });

  it.each([{ kind: 'agent', id: 'g' }, {}, { spec: {} }, null, 7])('refuses %j', (runner) => {
    expect(() => knownId(runner as never)).toThrow('startSpec for a spec');
  });
});
