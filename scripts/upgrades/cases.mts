// The runs and conversations of the test. Each is begun by the client of one version, and ended by that of another.

type Shared = {
  readonly title: string;
  /** What the last answer says. */
  readonly text: string;
  /** What tools did, each once. */
  readonly effects: readonly string[];
  /** A call is in progress when the worker ends. `killed`: it ends by SIGKILL, else it shuts down. */
  readonly inFlight?: true;
  readonly killed?: true;
  /** It has continued as new before the other version takes it. */
  readonly continues?: true;
  /** It waits in runs below. */
  readonly hasChildren?: true;
};

export type RunCase = Shared & {
  readonly runner: string;
  readonly maxTokens?: number;
  /** How many answers it gets at once, before it waits for the other version. */
  readonly answered?: number;
  /** Inputs that are open then. */
  readonly open?: number;
  readonly byToken?: true;
};

/** Messages before the one that asks and stays open, and one after it. */
export type ThreadCase = Shared & { readonly messages: number };

export type Case = RunCase | ThreadCase;

/** The agents of the sequence before its last one. */
export const steps = Array.from({ length: 10 }, (_, index) => `step-${index + 1}`);

const pages = (from: number): readonly string[] =>
  Array.from({ length: 10 }, (_, index) => `page ${from + index}`);
const done = (effects: readonly string[]): string =>
  effects.map((what) => `did # ${what}`).join(', ');

const list = [
  {
    title: 'waits for an answer',
    runner: 'asker',
    text: 'asker: blue, did # painting',
    effects: ['painting'],
  },
  {
    title: 'waits for its second answer',
    runner: 'twice',
    answered: 1,
    text: 'twice: blue, did # painting, blue, did # frame',
    effects: ['frame', 'painting'],
  },
  { title: 'waits for an approval', runner: 'buyer', text: 'buyer: did # bill', effects: ['bill'] },
  {
    title: 'waits for its second approval',
    runner: 'shopper',
    answered: 1,
    text: 'shopper: did # bill, did # tip',
    effects: ['bill', 'tip'],
  },
  {
    title: 'waits for a result, by its token',
    runner: 'orderer',
    byToken: true,
    text: 'orderer: arrived',
    effects: ['goods'],
  },
  {
    title: 'waits for a result, by its id',
    runner: 'orderer',
    text: 'orderer: arrived',
    effects: ['goods'],
  },
  {
    title: 'waits for a budget',
    runner: 'spender',
    maxTokens: 15,
    text: 'spender: did # cheque',
    effects: ['cheque'],
  },
  {
    title: 'model call in progress, worker shut down',
    runner: 'slow',
    inFlight: true,
    text: 'slow: did # start',
    effects: ['start'],
  },
  {
    title: 'model call in progress, worker killed',
    runner: 'slow',
    inFlight: true,
    killed: true,
    text: 'slow: did # start',
    effects: ['start'],
  },
  {
    title: 'tool call in progress, worker shut down',
    runner: 'holder',
    inFlight: true,
    text: 'holder: did # door',
    effects: ['door'],
  },
  {
    title: 'tool call in progress, worker killed',
    runner: 'holder',
    inFlight: true,
    killed: true,
    text: 'holder: did # door',
    effects: ['door'],
  },
  {
    title: 'inline tool call in progress, worker killed',
    runner: 'inliner',
    inFlight: true,
    killed: true,
    text: 'inliner: did # list, did # door',
    effects: ['door', 'list'],
  },
  {
    title: 'has continued as new, waits, continues again',
    runner: 'long',
    continues: true,
    text: `long: ${done(pages(1))}, blue, ${done(pages(11))}`,
    effects: [...pages(1), ...pages(11)],
  },
  {
    title: 'conversation with an open question',
    messages: 1,
    text: 'chat:  after 1, 2 ask, 3',
    effects: ['2 ask'],
  },
  {
    title: 'conversation that has continued as new, with an open question',
    messages: 6,
    continues: true,
    text: 'chat:  after 1, 2, 3, 4, 5, 6, 7 ask, 8',
    effects: ['7 ask'],
  },
  {
    title: 'parallel: one branch ended, two wait, one not begun',
    runner: 'panel',
    hasChildren: true,
    open: 2,
    text: 'last: did # signature',
    effects: ['bill', 'painting', 'signature', 'sketch'],
  },
  {
    title: 'sequence that has continued as new, its last step waits',
    runner: 'pipeline',
    continues: true,
    text: 'closing: blue, did # painting',
    effects: [...steps, 'painting'],
  },
  {
    title: 'sub-agent waits two levels below',
    runner: 'boss',
    hasChildren: true,
    text: 'boss: middle: leaf: blue, did # painting',
    effects: ['painting'],
  },
] satisfies readonly Case[];

export const cases: readonly Case[] = list;
