// Pure: no server.
import { allSpeakers, speakersIn } from '../../../../src/core/people/speakers';
import type { LogEvent } from '../../../../src/protocol/log';
import type { Verdict } from '../../../../src/protocol/people';

const at = '2026-11-25T12:00:00.000Z';
const ada = { id: 'ada' };
const message = { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi.' }] };
const decided = (given: Partial<Verdict>): LogEvent => ({
  kind: 'decision',
  decision: { kind: 'verdict', inputId: 'a1.0', verdict: 'approve', at, by: ada, ...given },
});

it.each<[string, LogEvent, readonly string[]]>([
  ['the input of the run', { kind: 'user', message }, []],
  ['a message', { kind: 'user', message, messageId: 'm', by: ada, at }, ['ada']],
  ['a message of nobody known', { kind: 'user', message, messageId: 'm', at }, ['']],
  ['an answer', decided({ verdict: 'answer', inputId: 'q1.0' }), ['ada']],
  ['an amount', decided({ verdict: 'answer', inputId: 'budget-2-15' }), []],
  ['a reason', decided({ verdict: 'reject' }), ['ada']],
  ['a change', decided({ verdict: 'edit', args: {} }), ['ada']],
  ['a change that approves', decided({ args: {} }), ['ada']],
  ['an approval', decided({ note: 'fine' }), []],
  ['a result', decided({ verdict: 'complete', inputId: 't1.0' }), ['ada']],
  ['the end of the time', decided({ verdict: 'expire' }), []],
])('counts %s', (_what, entry, speakers) => {
  expect(speakersIn([entry])).toEqual(speakers);
});

it('a result by a token is of a machine', () => {
  const { by: _by, ...verdict } = (decided({ verdict: 'complete' }) as { decision: Verdict })
    .decision;
  expect(speakersIn([{ kind: 'decision', decision: verdict }])).toEqual([]);
});

it('names each once, and counts too many as unknown', () => {
  expect(allSpeakers(['ada', 'bob'], ['bob'])).toEqual(['ada', 'bob']);
  const many = allSpeakers(Array.from({ length: 60 }, (_, index) => `p${index}`));
  expect([many.length, many.at(-1)]).toEqual([50, '']);
});
