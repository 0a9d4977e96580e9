// Replays the recorded histories of every version on the workflows of this one. No server.
import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { replayAll, type NamedHistory } from './replays';

const folder = resolve(__dirname, '../fixtures/histories');
const files = globSync('*/*.json', { cwd: folder }).sort();

/** What a run can meet; a recording that lost one of them proves less than it did. */
const required = [
  'text-answer',
  'tool-turn',
  'parallel-tools',
  'session-and-long-arguments',
  'tool-failed',
  'question-by-tool',
  'question-by-marker',
  'input-timeout',
  'input-timeout-answered',
  'approval-edited',
  'approval-rejected',
  'invalid-tool-call-retried',
  'criteria-reprompt',
  'called-agents',
  'cancelled',
  'failed',
  'provider-retry',
  'continued-as-new.1',
  'continued-as-new.2',
  'hooked-calls',
  'sequential',
  'parallel',
  'parallel-first',
  'graph',
  'thread',
];

type Attributes = {
  activityType?: { name: string };
  workflowId?: string;
  originalExecutionRunId?: string;
};
type Events = { events: Record<string, Attributes>[] };

const load = (file: string): Events =>
  JSON.parse(readFileSync(join(folder, file), 'utf8')) as Events;

/** Under the run's own id: those of its children follow from it. */
function recorded(file: string): NamedHistory & { readonly workflowId: string } {
  const history = load(file);
  const { workflowId = '', originalExecutionRunId = '' } =
    history.events[0]?.['workflowExecutionStartedEventAttributes'] ?? {};
  return { name: `${workflowId} ${originalExecutionRunId}`, workflowId, history };
}

describe('recorded histories', () => {
  let outcomes: ReadonlyMap<string, Error | undefined>;

  beforeAll(async () => {
    outcomes = await replayAll(files.map(recorded));
  });

  it.each(files)('%s replays', (file) => {
    const { name } = recorded(file);
    expect([outcomes.has(name), outcomes.get(name)]).toEqual([true, undefined]);
  });

  it('are of everything a run can meet', () => {
    const names = files.map((file) => basename(file, '.json'));
    expect(names).toEqual(expect.arrayContaining(required));
  });
});

describe('a history of something else', () => {
  const toolTurn = files.find((file) => file.endsWith('/tool-turn.json')) ?? '';

  const altered = (name: string, alter: (history: Events) => void): NamedHistory => {
    const history = load(toolTurn);
    alter(history);
    return { name, history };
  };

  /** The first event that schedules an activity of this type. */
  const scheduled = ({ events }: Events, type: string): { name: string } => {
    for (const event of events) {
      const { activityType } = event['activityTaskScheduledEventAttributes'] ?? {};
      if (activityType?.name === type) return activityType;
    }
    throw new Error(`no ${type}`);
  };

  it('is told from one that replays', async () => {
    const outcomes = await replayAll([
      altered('as it is', () => undefined),
      altered('another activity', (history) => {
        scheduled(history, 'callTool').name = 'sendMail';
      }),
      altered('one activity more', ({ events }) => {
        const index = events.findIndex((event) => event['activityTaskScheduledEventAttributes']);
        events.splice(index, 0, structuredClone(events[index] as Events['events'][number]));
      }),
    ]);
    const failed = [...outcomes].filter(([, error]) => error !== undefined).map(([name]) => name);
    expect(failed).toEqual(['another activity', 'one activity more']);
    expect(String(outcomes.get('another activity'))).toContain('Nondeterminism');
  });
});
