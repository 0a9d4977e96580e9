// Pure: no server.
import { renderPeople } from '../../../../src/cli/render/render-people';

it('shows what a person should know before a verdict, and nothing where everybody may decide', () => {
  const at = '2026-01-01T00:00:00.000Z';
  expect(renderPeople({ digest: 'd' })).toEqual([]);
  expect(renderPeople({ outdated: 'cents \u001b[31mis missing' })).toEqual([
    expect.stringMatching(
      /^ {2}outdated: the deployed tool refuses it: cents [^\u001b]*is missing$/u,
    ),
  ]);
  const by = { roles: ['finance'], ids: ['eve'], approvals: 2, not: ['requester'] as const };
  const votes = [{ by: { id: 'ada', name: 'Ada\u001b[31m' }, at }];
  const preview = 'Pay 5 euros.\nTo Ann.';
  expect(renderPeople({ by, votes, preview, digest: 'd', expiresAt: at })).toEqual([
    '  Pay 5 euros.',
    '  To Ann.',
    expect.stringMatching(/^ {2}approved by Ada[^\u001b]*$/u),
    '  2 approvals needed',
    '  who may decide: roles finance; people eve; not who asked for the run',
    `  until ${at}`,
    '  digest d',
  ]);
});
