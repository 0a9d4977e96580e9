// Pure: no server.
import { AgentRun } from '../../../../src/agent-run';
import type { CriterionSpec } from '../../../../src/core/machine/steps';
import type { TurnChecks } from '../../../../src/protocol/log';
import { assistant, call, respond, text, user } from '../builders';

const keyword: CriterionSpec = { kind: 'keyword', keyword: 'DONE' };
const structured: CriterionSpec = { kind: 'structured-output', schema: { type: 'object' } };
const custom: CriterionSpec = { kind: 'custom', name: 'polite' };

type Case = { name: string; criteria: CriterionSpec[]; value: string; checks?: TurnChecks };

describe('Rule 20: criteria', () => {
  it.each<Case & { reason: string; output?: unknown }>([
    { name: 'none', criteria: [], value: 'hi', reason: 'text response' },
    { name: 'a keyword', criteria: [keyword], value: 'all DONE', reason: "keyword 'DONE' found" },
    {
      name: 'structured output',
      criteria: [structured],
      value: '{}',
      checks: { criteria: [{ met: true, value: {} }] },
      reason: 'structured output received',
      output: {},
    },
    {
      name: 'a custom criterion after one that is not met',
      criteria: [structured, keyword, custom],
      value: 'thanks',
      checks: { criteria: [{ met: false }, { met: true }] },
      reason: "custom criterion 'polite' met",
    },
    {
      name: 'a keyword in structured output',
      criteria: [keyword, structured],
      value: '["DONE"]',
      checks: { criteria: [{ met: true, value: ['DONE'] }] },
      reason: "keyword 'DONE' found",
      output: ['DONE'],
    },
  ])('completes with $name: $reason', ({ criteria, value, checks, reason, output }) => {
    const step = respond(new AgentRun('go', { criteria }), [text(value)], checks ? { checks } : {});

    expect(step).toMatchObject({
      kind: 'done',
      response: { text: value, completionReason: reason },
    });
    expect(step.kind === 'done' && step.response.structured).toEqual(output);
  });

  it.each<Case & { feedback: string }>([
    {
      name: 'the case of a keyword',
      criteria: [keyword],
      value: 'done',
      feedback:
        "The task is not complete yet: the text does not contain the keyword 'DONE'. Continue.",
    },
    {
      name: 'each unmet criterion',
      criteria: [keyword, structured, custom],
      value: 'hm',
      checks: { criteria: [{ met: false, missing: 'not JSON' }] },
      feedback:
        'The task is not complete yet. One of these must change:\n' +
        "- the text does not contain the keyword 'DONE'\n" +
        '- the text is not the structured output that was asked for: not JSON\n' +
        "- the criterion 'polite' is not met\n" +
        'Continue.',
    },
  ])('names $name in one user message', ({ criteria, value, checks, feedback }) => {
    const run = new AgentRun('go', { criteria, maxTurns: 2 });

    expect(respond(run, [text(value)], checks ? { checks } : {})).toMatchObject({
      kind: 'call-model',
      prompt: user(feedback),
      turn: 2,
    });
    expect(run.messages).toEqual([user('go'), assistant(text(value)), user(feedback)]);
  });

  it('does not judge turns with calls', () => {
    expect(
      respond(new AgentRun('go', { criteria: [keyword] }), [text('DONE'), call('c1')]).kind,
    ).toBe('call-tools');
  });
});
