// Pure: no server. The client's inbox is a double.
import type { InboxFilter, InboxItem } from '../../../../src/client/index';
import { listInbox } from '../../../../src/cli/commands/list';
import { renderInbox } from '../../../../src/cli/render/render-list';
import { commandLine } from '../../../../src/cli/render/render-parts';
import { printAnswer } from '../../../../src/cli/session/connection';
import { createStyle } from '../../../../src/cli/render/text';
import { anApproval, aQuestion } from '../builders';
import { fakeTerminal, type FakeTerminal } from '../fake-terminal';

const question: InboxItem = {
  ...aQuestion({ path: 'planner/dig', question: 'Which\ncity is \u001b[31mmeant, after all?' }),
  workflowId: 'planner-1',
  agent: 'planner',
  isComplete: true,
};
const approval: InboxItem = {
  ...anApproval(),
  workflowId: 'a',
  agent: 'planner',
  isComplete: true,
};
const budget: InboxItem = { ...question, workflowId: 'b', inputId: 'b1', kind: 'budget' };

describe('renderInbox', () => {
  const options = {
    style: createStyle(false),
    now: new Date('2026-01-03T00:00:00.000Z'),
    command: commandLine({ namespace: 'team' }),
  };

  it('aligns the columns, and names them in how each kind is answered', () => {
    expect(renderInbox([question, approval, budget], options)).toEqual([
      'RUN        INPUT  PATH         KIND      AGE  QUESTION',
      'planner-1  q1     planner/dig  question  2 d  Which city is meant, after all?',
      'a          a1.0   planner      approval  2 d  May send_mail run? {"to":"bob"}',
      'b          b1     planner/dig  budget    2 d  Which city is meant, after all?',
      '',
      "answer with:  npx longhaul answer RUN 'your answer' --input-id INPUT --namespace team",
      'approve with: npx longhaul answer RUN --approve INPUT --namespace team',
      "refuse with:  npx longhaul answer RUN --reject INPUT 'the reason' --namespace team",
      "add with:     npx longhaul answer RUN 'amount to add, or stop' --input-id INPUT --namespace team",
    ]);
  });

  it('shows how a single one is answered', () => {
    expect(renderInbox([approval], options)).toEqual([
      'RUN  INPUT  PATH     KIND      AGE  QUESTION',
      'a    a1.0   planner  approval  2 d  May send_mail run? {"to":"bob"}',
      '',
      'approve with: npx longhaul answer a --approve a1.0 --namespace team',
      "refuse with:  npx longhaul answer a --reject a1.0 'the reason' --namespace team",
    ]);
  });
});

describe('listInbox', () => {
  const asked: InboxFilter[] = [];
  const show = async (
    items: readonly InboxItem[],
    flags: Partial<Parameters<typeof listInbox>[1]> = {},
  ): Promise<FakeTerminal> => {
    const terminal = fakeTerminal();
    async function* inbox(filter: InboxFilter = {}): AsyncGenerator<InboxItem, void, void> {
      asked.push(filter);
      yield* items.slice(0, filter.limit);
    }
    const all = { limit: 2, ...flags };
    printAnswer(await listInbox({ inbox }, all, terminal), all, terminal);
    return terminal;
  };
  beforeEach(() => asked.splice(0));

  it('says that nothing waits', async () => {
    const { printed, noted } = await show([]);
    expect({ printed, noted }).toEqual({ printed: [], noted: ['nothing waits for an answer'] });
  });

  it('prints whole items as JSON', async () => {
    const { printed, noted } = await show([approval], { json: true, agent: 'planner' });
    expect(printed.map((line) => JSON.parse(line) as unknown)).toEqual([[approval]]);
    expect(noted).toEqual([]);
    expect(asked).toEqual([{ agent: 'planner', limit: 3, whole: false }]);
    expect((await show([], { json: true })).printed).toEqual(['[]']);
  });

  it('says what it leaves out', async () => {
    const { printed, noted } = await show([question, { ...approval, isComplete: false }, budget], {
      whole: true,
    });
    expect(printed.slice(1, 3)).toEqual([
      expect.stringMatching(/^planner-1 /),
      expect.stringMatching(/^a /),
    ]);
    expect(printed[3]).toBe('');
    expect(noted).toEqual([
      'more wait than these 2: see --limit',
      'no worker answered for some runs: their inputs are shown as the server has them',
    ]);
  });

  it('filters by user and application, also where one is empty', async () => {
    const { noted } = await show([{ ...approval, isComplete: false }], { user: '', app: 'shop' });
    expect(asked).toEqual([{ key: { userId: '', appName: 'shop' }, limit: 3, whole: false }]);
    expect(noted).toEqual([expect.stringContaining('--whole asks the runs')]);
  });
});
