// Forms that histories hold: what executions carry to the next one, and the signals between runs.
import { inflateSync, strFromU8 } from 'fflate';
import type { RecordedHistory } from '../histories.mts';

type Named = readonly (readonly [name: string, value: unknown])[];

type Payload = { readonly data?: string };
type Event = {
  readonly eventId: string;
  readonly workflowExecutionStartedEventAttributes?: {
    readonly workflowType: { readonly name: string };
    readonly input?: { readonly payloads: readonly Payload[] };
  };
  readonly workflowExecutionSignaledEventAttributes?: {
    readonly signalName: string;
    readonly input?: { readonly payloads?: readonly Payload[] };
  };
  readonly activityTaskScheduledEventAttributes?: {
    readonly activityType: { readonly name: string };
    readonly input?: { readonly payloads?: readonly Payload[] };
  };
  readonly activityTaskCompletedEventAttributes?: {
    readonly scheduledEventId: string;
    readonly result?: { readonly payloads?: readonly Payload[] };
  };
};

/** Of these runs the second execution, or the one named. Each carries something that the others do not. */
const carryingRuns = [
  'carries-everything.2',
  'carries-everything.3',
  'carried-log',
  'continued-as-new.3',
  'later-tools.2',
  'own-activity.2',
  'people.2',
  'reminded.2',
  'small-window.2',
  'graph-continues.2',
  'parallel-continues.2',
  'sequential-continues.2',
];
const carryingThreads = ['thread-continues.2', 'thread-stored.2', 'thread-summarised.2'];

const mostOfOneSignal = 3;

export function carriedRunsOf(histories: readonly RecordedHistory[]): Named {
  return carried(histories, carryingRuns);
}

export function carriedThreadsOf(histories: readonly RecordedHistory[]): Named {
  return carried(histories, carryingThreads);
}

/** Those that this recording has. A busy machine continues a run at another step. */
function carried(histories: readonly RecordedHistory[], names: readonly string[]): Named {
  const found = names.flatMap((name) => {
    const history = histories.find((one) => one.name === name);
    const [first] = history === undefined ? [] : eventsOf(history);
    const payload = first?.workflowExecutionStartedEventAttributes?.input?.payloads[1];
    if (payload === undefined) return [];
    const bytes = inflateSync(Buffer.from(payload.data ?? '', 'base64'));
    return [[name, JSON.parse(strFromU8(bytes)) as unknown] as const];
  });
  if (found.length < names.length / 2)
    throw new Error(`few histories carry a state: ${names.join(', ')}`);
  return found;
}

/** Up to three of each signal, of different lengths. */
export function signalsOf(histories: readonly RecordedHistory[]): Named {
  const found = new Map<string, Map<number, unknown>>();
  for (const event of histories.flatMap(eventsOf)) {
    const { signalName, input } = event.workflowExecutionSignaledEventAttributes ?? {};
    const data = input?.payloads?.[0]?.data;
    if (signalName === undefined || data === undefined) continue;
    const text = Buffer.from(data, 'base64').toString();
    const all = found.get(signalName) ?? new Map<number, unknown>();
    if (all.size < mostOfOneSignal) all.set(text.length, JSON.parse(text) as unknown);
    found.set(signalName, all);
  }
  return [...found]
    .sort(byName)
    .flatMap(([signal, payloads]) =>
      [...payloads.values()].map(
        (payload, index) => [`${signal} ${index + 1}`, { signal, payload }] as const,
      ),
    );
}

/** An input and result of each activity, and a second one of another length. Bytes are left out. */
export function activitiesOf(histories: readonly RecordedHistory[]): Named {
  const found = new Map<string, Map<number, unknown>>();
  for (const { activity, input, result } of histories.flatMap(callsOf)) {
    const all = found.get(activity) ?? new Map<number, unknown>();
    const { length } = Object.keys(Object(input) as object);
    if (all.size < 2 && !all.has(length)) all.set(length, { activity, input, result });
    found.set(activity, all);
  }
  return [...found]
    .sort(byName)
    .flatMap(([activity, calls]) =>
      [...calls.values()].map((call, index) => [`${activity} ${index + 1}`, call] as const),
    );
}

type Call = { readonly activity: string; readonly input: unknown; readonly result: unknown };

function callsOf(history: RecordedHistory): readonly Call[] {
  const events = eventsOf(history);
  return events.flatMap(({ activityTaskCompletedEventAttributes: completed }) => {
    const of = events.find(({ eventId }) => eventId === completed?.scheduledEventId);
    const scheduled = of?.activityTaskScheduledEventAttributes;
    if (completed === undefined || scheduled === undefined) return [];
    const [input, result] = [scheduled.input?.payloads?.[0], completed.result?.payloads?.[0]];
    return [{ activity: scheduled.activityType.name, input: json(input), result: json(result) }];
  });
}

function json(payload: Payload | undefined): unknown {
  const text = Buffer.from(payload?.data ?? '', 'base64').toString();
  return /^[[{"\dtfn-]/.test(text) ? (JSON.parse(text) as unknown) : null;
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

function eventsOf({ json: text }: RecordedHistory): readonly Event[] {
  return (JSON.parse(text) as { readonly events: readonly Event[] }).events;
}
