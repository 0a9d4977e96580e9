// Pure: no server.
import { z } from 'zod';
import { defineTool } from '../../../src';
import { citySchema, refusalOf, toolContext } from './builders';

const minimal = {
  name: 'get_weather',
  description: 'Current weather of a city',
  inputSchema: citySchema,
  execute: () => 'sunny',
};

describe('tools that wait for people', () => {
  it('write the rules of their approvals into the data, and keep the functions', async () => {
    const tool = defineTool<{ city: string }>({
      ...minimal,
      needsApproval: {
        when: ({ city }) => city === 'Paris',
        by: ({ city }) => ({ ids: [city] }),
        show: ({ city }) => ({ city }),
        remind: ['2 days', '1 day', 86_400_000],
        escalate: { after: '3 days', to: { roles: ['lead'] } },
        remember: 'run',
      },
    });
    expect(tool.spec.needsApproval).toBe('ask');
    expect(tool.spec.approval).toEqual({
      by: 'ask',
      show: true,
      remindMs: [86_400_000, 2 * 86_400_000],
      escalate: { afterMs: 3 * 86_400_000, to: { roles: ['lead'] } },
      remember: 'run',
    });
    expect(await tool.needsApproval?.({ city: 'Paris' }, toolContext)).toBe(true);
    expect(await tool.approval?.by?.({ city: 'Paris' }, toolContext)).toEqual({ ids: ['Paris'] });
    expect(await tool.approval?.show?.({ city: 'Paris' }, toolContext)).toEqual({ city: 'Paris' });
  });

  it('need approval of every call if the rules do not say when', () => {
    const by = { roles: ['finance'], approvals: 2, not: ['requester'] } as const;
    const { spec, approval, needsApproval } = defineTool({ ...minimal, needsApproval: { by } });
    expect([spec.needsApproval, spec.approval]).toEqual([true, { by }]);
    expect([approval, needsApproval]).toEqual([undefined, undefined]);
    expect(defineTool({ ...minimal, needsApproval: {} }).spec).toEqual(
      defineTool({ ...minimal, needsApproval: true }).spec,
    );
  });

  it('may leave their result to the client, and then have no code', () => {
    const { execute: _, ...data } = minimal;
    const tool = defineTool({
      ...data,
      result: 'client',
      resultSchema: z.object({ seat: z.string() }),
      resultTimeout: '1 day',
    });
    expect(tool.spec).toMatchObject({
      result: 'client',
      resultSchema: { type: 'object', properties: { seat: { type: 'string' } } },
      resultTimeoutMs: 86_400_000,
    });
    expect(() => tool.execute({}, toolContext)).toThrow(/only a run can call it/);
  });

  it('may start work whose result comes later', async () => {
    const tool = defineTool<{ city: string }>({
      ...minimal,
      result: 'later',
      execute: ({ city }, { resultToken }) => `${city} ${resultToken}`,
    });
    expect(tool.spec.result).toBe('later');
    expect(await tool.execute({ city: 'Paris' }, { ...toolContext, resultToken: 'lh1' })).toBe(
      'Paris lh1',
    );
  });

  const subject = "SpecError: Tool 'get_weather': ";

  it.each<[string, Record<string, unknown>, string]>([
    [
      'an unknown rule of approvals',
      { needsApproval: { who: 'ada' } },
      `${subject}needsApproval.who is not known`,
    ],
    [
      'approvers without a name',
      { needsApproval: { by: { roles: [] } } },
      `${subject}needsApproval.by.roles must not be empty`,
    ],
    [
      'more approvals than people',
      { needsApproval: { by: { ids: ['ada'], approvals: 2 } } },
      `${subject}needsApproval.by.approvals is 2, but ids names only 1`,
    ],
    [
      'more approvals than anybody waits for',
      { needsApproval: { by: { approvals: 21 } } },
      `${subject}needsApproval.by.approvals must be a whole number from 1 to 20, not 21`,
    ],
    [
      'an escalation to nobody',
      { needsApproval: { by: { ids: ['ada'] }, escalate: { after: '1 day', to: {} } } },
      `${subject}needsApproval.escalate.to must have roles, ids or both`,
    ],
    [
      'an escalation from everybody',
      { needsApproval: { escalate: { after: '1 day', to: { ids: ['eve'] } } } },
      `${subject}needsApproval.escalate needs by: without it everybody may decide already`,
    ],
    [
      'approvals by rules inline',
      { inline: true, needsApproval: { by: { ids: ['ada'] } } },
      `${subject}inline contradicts needsApproval: true: a call that waits for a person does not run inline; remove one of the two`,
    ],
    [
      'code of a tool of the client',
      { result: 'client' },
      `${subject}execute contradicts result 'client': remove one of the two`,
    ],
    [
      'a later result inline',
      { result: 'later', inline: true },
      `${subject}inline contradicts result 'later': remove one of the two`,
    ],
    [
      'a schema of no result',
      { resultSchema: { type: 'string' } },
      `${subject}resultSchema is only for a tool with result 'client' or 'later'`,
    ],
    [
      'a result schema that is none',
      { result: 'later', resultSchema: { type: 'strnig' } },
      `${subject}resultSchema.type must be one of string, number, integer, boolean, array, object, null, or a list of them, not 'strnig'`,
    ],
    [
      'a result schema that is too long',
      { result: 'later', resultSchema: { description: 'x'.repeat(16_384) } },
      `${subject}resultSchema has 16402 bytes of JSON; at most 16384 are taken`,
    ],
  ])('refuse %s', (_name, options, message) => {
    expect(refusalOf(() => defineTool({ ...minimal, ...options } as never))).toBe(message);
  });
});
