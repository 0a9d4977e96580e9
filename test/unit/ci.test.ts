// Pure: reads .github/workflows; runs nothing of it.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import manifest from '../../package.json';

type Step = {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
};
type Job = {
  readonly 'timeout-minutes': number;
  readonly permissions?: unknown;
  readonly strategy?: { readonly matrix: { readonly node: readonly string[] } };
  readonly steps: readonly Step[];
};

type Workflow = {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
};

const textOf = (file: string): string =>
  readFileSync(join(resolve(__dirname, '../../.github/workflows'), file), 'utf8');
const [ci, sdk] = ['ci.yml', 'sdk.yml'].map((file) => parse(textOf(file)) as Workflow);
const jobOf = (name: string, workflow = ci): Job => {
  const job = workflow?.jobs[name];
  if (job === undefined) throw new Error(`there is no job ${name}`);
  return job;
};
const commandsOf = ({ steps }: Job): readonly string[] => steps.flatMap(({ run }) => run ?? []);
const versionsOf = ({ strategy }: Job): readonly string[] => strategy?.matrix.node ?? [];

const oldest = /^>=(\d+\.\d+)$/.exec(manifest.engines.node)?.[1] ?? 'none';
const majors = [oldest.split('.')[0], manifest.devDependencies.node];

describe('.github/workflows/ci.yml', () => {
  it('tests the oldest major version of Node that package.json claims, and the one it develops on', () => {
    expect(versionsOf(jobOf('test'))).toEqual(majors);
  });

  it('checks the package on them, and on exactly the oldest version', () => {
    expect(versionsOf(jobOf('package'))).toEqual([oldest, ...majors]);
  });

  it.each([
    ['test', 'npm test'],
    ['package', 'npm run package'],
  ])('%s ends with: %s', (name, command) => {
    expect(commandsOf(jobOf(name)).at(-1)).toBe(command);
  });

  it.each(['package', 'test'])('%s runs its scripts on the Node of the matrix', (name) => {
    const { steps } = jobOf(name);
    const setup = steps.find(({ uses }) => uses?.startsWith('actions/setup-node@'));
    expect(setup?.with?.['node-version']).toBe('${{ matrix.node }}');
    expect(commandsOf(jobOf(name)).slice(1, 3)).toEqual([
      'rm -r node_modules/node node_modules/.bin/node',
      `npm exec -c 'node --version' | grep "^v$NODE\\."`,
    ]);
    const proof = steps.find(({ run }) => run?.startsWith('npm exec'));
    expect(proof?.env).toEqual({ NODE: '${{ matrix.node }}' });
  });
});

describe.each([
  ['ci.yml', ['push', 'pull_request']],
  ['sdk.yml', ['schedule', 'workflow_dispatch']],
])('.github/workflows/%s', (file, events) => {
  const text = textOf(file);
  const { on, permissions, jobs } = parse(text) as Workflow;
  const all = Object.entries(jobs);

  it('may read the repository, and nothing else', () => {
    expect(permissions).toEqual({ contents: 'read' });
    expect(all.filter(([, job]) => job.permissions !== undefined)).toEqual([]);
    expect(Object.keys(on)).toEqual(events);
    expect(text).not.toMatch(/secrets|github\.token/i);
  });

  describe.each(all)('the job %s', (_, job) => {
    it('ends by itself', () => {
      expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
    });

    it('pins its actions by commit', () => {
      const actions = job.steps.flatMap(({ uses }) => uses ?? []);
      expect(actions).not.toEqual([]);
      for (const action of actions) {
        expect(action).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
        expect(text).toMatch(new RegExp(`${action} # v\\d+\\.\\d+\\.\\d+\n`));
      }
    });

    it('leaves no credentials in the checkout', () => {
      const checkouts = job.steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts.map((step) => step.with)).toEqual([{ 'persist-credentials': false }]);
    });

    it('installs by the lock file, then runs scripts that package.json has', () => {
      const scripts = commandsOf(job).filter((command) =>
        /^npm (?!ci$|exec |install )/.test(command),
      );
      const names = scripts.map((command) => command.replace(/^npm (run )?| -- .*$/g, ''));
      expect(commandsOf(job)[0]).toBe('npm ci');
      expect(names).not.toEqual([]);
      expect(names.filter((name) => !(name in manifest.scripts))).toEqual([]);
    });
  });
});

describe('.github/workflows/sdk.yml', () => {
  it("runs on the newest release of all of Temporal's packages what needs a server", () => {
    const names = Object.keys(manifest.devDependencies).flatMap(
      (name) => /^@temporalio\/(.+)$/.exec(name)?.[1] ?? [],
    );
    expect(commandsOf(jobOf('newest', sdk))).toEqual([
      'npm ci',
      `npm install --no-save @temporalio/{${names.join(',')}}@latest`,
      'npm test -- --selectProjects workflow replay e2e',
    ]);
  });
});
