// Replays the recorded histories of every version on the workflows of this one. No server.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { version } from '../../package.json';
import { replayAll, type NamedHistory } from './replays';

const folder = resolve(__dirname, '../fixtures/histories');
const files = globSync('*/*.json', { cwd: folder }).sort();

type Attributes = { activityType?: { name: string }; workflowId?: string };
type Events = { events: Record<string, Attributes>[] };

const load = (file: string): Events =>
  JSON.parse(readFileSync(join(folder, file), 'utf8')) as Events;

/** Under the run's own id: those of its children follow from it. */
function recorded(file: string): NamedHistory {
  const history = load(file);
  const { workflowId = '' } = history.events[0]?.['workflowExecutionStartedEventAttributes'] ?? {};
  return { name: file, workflowId, history };
}

/** The cases of which a version has histories: without the numbers of executions and the places of runs below. */
const casesOf = (folderOf: string): Set<string> =>
  new Set(
    files
      .filter((file) => dirname(file) === folderOf)
      .map((file) => basename(file, '.json').replace(/[+.].*$/, '')),
  );

describe('recorded histories', () => {
  let outcomes: ReadonlyMap<string, Error | undefined>;

  beforeAll(async () => {
    outcomes = await replayAll(files.map(recorded));
  });

  it.each(files)('%s replays', (file) => {
    expect([outcomes.has(file), outcomes.get(file)]).toEqual([true, undefined]);
  });

  it('of this version are of everything that those of earlier versions are of', () => {
    const earlier = new Set(files.map(dirname));
    const now = casesOf(version);
    for (const each of earlier)
      expect([...casesOf(each)].filter((one) => !now.has(one))).toEqual([]);
  });
});

describe('a run whose key names no application', () => {
  type Payload = { data: string };
  type Start = {
    input: { payloads: Payload[] };
    memo: { fields: { longhaul: Payload } };
    searchAttributes: { indexedFields: { LonghaulKey: Payload } };
  };

  const alterJson = <Value>(payload: Payload, alter: (value: Value) => void): void => {
    const value = JSON.parse(Buffer.from(payload.data, 'base64').toString()) as Value;
    alter(value);
    payload.data = Buffer.from(JSON.stringify(value)).toString('base64');
  };

  it('replays as 0.2.0 began it: without an application in its memo', async () => {
    const { history, ...named } = recorded('0.2.0/reminded.1.json');
    const [first] = (history as Events).events;
    const started = first?.['workflowExecutionStartedEventAttributes'] as unknown as Start;
    const dropApplication = (key: string[]): void => expect(key.shift()).toMatch(/^app-/);
    alterJson<{ key: object }>(started.input.payloads[0] as Payload, ({ key }) => {
      expect(Reflect.deleteProperty(key, 'appName')).toBe(true);
    });
    alterJson<{ key: string[] }>(started.memo.fields.longhaul, ({ key }) => dropApplication(key));
    alterJson(started.searchAttributes.indexedFields.LonghaulKey, dropApplication);
    const outcomes = await replayAll([{ ...named, history }]);
    expect([...outcomes.values()]).toEqual([undefined]);
  });
});

describe('a history of something else', () => {
  const toolTurn = `${version}/tool-turn.json`;

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
