// Pure: reads docker-compose.yml and what it names; no Docker.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { checkProviderKeys } from '../../src/cli/doctor/machine-checks';
import { timeouts } from '../../src/protocol/limits';
import { defaults } from '../../src/protocol/names';
import { loadConnection } from '../../src/server/connection-options';
import { commandProblems } from './cli/command-problems';

type Service = {
  readonly image: string;
  readonly build?: string;
  readonly restart: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
  readonly mem_limit?: string;
  readonly logging?: {
    readonly driver: string;
    readonly options: Readonly<Record<string, string>>;
  };
  readonly profiles?: readonly string[];
};

const root = resolve(__dirname, '../..');
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const services = Object.entries(compose.services);
const serviceOf = (name: string): Service => {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return service;
};
const runsOnce = ({ restart }: Service): boolean => restart.startsWith('on-failure');
const mountsOf = ({ volumes = [] }: Service): readonly (readonly string[])[] =>
  volumes.map((volume) => volume.split(':'));

describe('docker-compose.yml', () => {
  it('has a server with its database and its Web UI, a worker, and a web service', () => {
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(['postgresql', 'temporal', 'ui', 'worker', 'web']),
    );
  });

  describe.each(services)('%s', (_, service) => {
    it('pins its image', () => {
      expect(service.image).toMatch(/^[a-z/-]+:\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
    });

    it('tells whether it is well, or ends', () => {
      if (!runsOnce(service)) expect(service.healthcheck?.test[0]).toBe('CMD');
      else expect(service.healthcheck).toBeUndefined();
    });

    it('has limits of memory and of its log', () => {
      expect(service.mem_limit).toMatch(/^\d+[mg]$/);
      expect(service.logging?.driver).toBe('local');
      expect(Object.keys(service.logging?.options ?? {})).toEqual(['max-size', 'max-file']);
    });

    it('starts again by itself', () => {
      expect(service.restart).toMatch(/^(unless-stopped|on-failure:\d)$/);
    });

    it('waits for what there is', () => {
      for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
        const awaited = runsOnce(serviceOf(name))
          ? 'service_completed_successfully'
          : 'service_healthy';
        expect([name, condition]).toEqual([name, awaited]);
      }
    });

    it('has no secret in it', () => {
      const secrets = Object.entries(service.environment ?? {}).filter(([name]) =>
        /PASSWORD|PWD|KEY|TOKEN|SECRET/.test(name),
      );
      for (const [name, value] of secrets) {
        expect([name, value ?? '${}']).toEqual([
          name,
          expect.stringMatching(/^\$\{(\w+:\?.+)?\}$/),
        ]);
      }
    });

    it('mounts what is there', () => {
      for (const [source = '', target] of mountsOf(service)) {
        expect(target).toMatch(/^\//);
        if (!source.startsWith('./')) expect(compose.volumes).toHaveProperty(source);
        else expect(statSync(join(root, source)).size).toBeGreaterThan(0);
      }
    });

    it('is reached from this machine alone', () => {
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
    });
  });

  it('makes backups, and starts a collector and a viewer, only where they are asked for', () => {
    const optional = services.filter(([, { profiles }]) => profiles !== undefined);
    expect(optional.map(([name, { profiles }]) => [name, profiles])).toEqual([
      ['backup', ['backup']],
      ['telemetry', ['telemetry']],
    ]);
    expect(serviceOf('telemetry').ports).toEqual(['127.0.0.1:4318:4318', '127.0.0.1:3000:3000']);
    const awaited = services.flatMap(([, { depends_on: others = {} }]) => Object.keys(others));
    expect(awaited).not.toContain('telemetry');
    expect(awaited).not.toContain('backup');
  });

  it('runs one version of the server and its tools', () => {
    const versions = services.flatMap(
      ([, { image }]) => /^temporalio\/(?:server|admin-tools):(.+)$/.exec(image)?.[1] ?? [],
    );
    expect(new Set(versions).size).toBe(1);
  });

  it('has one password for the database of the server, and one for that of Longhaul', () => {
    const passwordsOf = (user: string): readonly (string | null)[] =>
      services.flatMap(([, { environment = {} }]) =>
        environment['POSTGRES_USER'] === user || environment['PGUSER'] === user
          ? ['POSTGRES_PASSWORD', 'POSTGRES_PWD', 'SQL_PASSWORD', 'PGPASSWORD'].flatMap(
              (name) => environment[name] ?? [],
            )
          : [],
      );
    const [temporal, longhaul] = [passwordsOf('temporal'), passwordsOf('longhaul')];
    expect([temporal.length, new Set(temporal).size]).toEqual([5, 1]);
    expect([longhaul.length, new Set(longhaul).size]).toEqual([2, 1]);
    expect(longhaul[0]).toBe(serviceOf('longhaul-database').environment?.['LONGHAUL_PASSWORD']);
    expect(longhaul[0]).not.toBe(temporal[0]);
  });

  it('creates the database that the worker and the web service read', () => {
    const script = readFileSync(join(root, 'deploy/create-longhaul-database.sh'), 'utf8');
    for (const name of ['worker', 'web']) {
      const { PGUSER, PGDATABASE, PGHOST } = serviceOf(name).environment ?? {};
      expect(script).toContain(`create database ${PGDATABASE} owner ${PGUSER}`);
      expect(compose.services).toHaveProperty(String(PGHOST));
    }
  });

  it('backs up every database', () => {
    const backup = readFileSync(join(root, 'deploy/backup.sh'), 'utf8');
    const names = /for database in (.+); do/.exec(backup)?.[1]?.split(' ');
    expect(names).toEqual(['temporal', 'temporal_visibility', 'longhaul']);
    expect(mountsOf(serviceOf('backup'))).toContainEqual(['backups', '/backups']);
  });

  it('publishes the server where clients look for it', () => {
    expect(serviceOf('temporal').ports).toEqual([`${defaults.address}:7233`]);
  });

  it("sets the server's pace, where the server reads it", () => {
    const { environment = {} } = serviceOf('temporal');
    const mount = mountsOf(serviceOf('temporal')).find(([source]) => source?.endsWith('.yaml'));
    expect(`/etc/temporal/${environment.DYNAMIC_CONFIG_FILE_PATH}`).toBe(mount?.[1]);
    expect(parse(readFileSync(join(root, mount?.[0] ?? ''), 'utf8'))).toEqual({
      'history.transferProcessorMaxPollRPS': [{ value: 5000 }],
      'history.timerProcessorMaxPollRPS': [{ value: 5000 }],
    });
  });

  it.each(services.filter(([, { entrypoint }]) => entrypoint !== undefined))(
    '%s runs a script that is mounted',
    (_, service) => {
      const [shell, script] = service.entrypoint ?? [];
      const [source = ''] = mountsOf(service).find(([, target]) => target === script) ?? [];
      expect(shell).toBe('/bin/sh');
      expect(spawnSync('/bin/sh', ['-n', join(root, source)]).status).toBe(0);
    },
  );

  describe('the worker', () => {
    const worker = serviceOf('worker');
    const { environment = {}, command = [] } = worker;
    const before = process.env;
    afterEach(() => {
      process.env = before;
    });

    it('is told where the server is by the names it reads', () => {
      const told = Object.entries(environment).filter(([name]) => name.startsWith('TEMPORAL_'));
      process.env = Object.fromEntries(told) as NodeJS.ProcessEnv;
      const { connection, namespace } = loadConnection();
      expect({ TEMPORAL_ADDRESS: connection.address, TEMPORAL_NAMESPACE: namespace }).toEqual(
        Object.fromEntries(told),
      );
    });

    it('is passed the keys that providers read', () => {
      const { todo = '' } = checkProviderKeys({}, undefined);
      const passed = Object.keys(environment).filter((name) => name.endsWith('_API_KEY'));
      expect(passed.length).toBeGreaterThan(3);
      expect(passed.filter((name) => !todo.includes(name))).toEqual([]);
    });

    it.each(
      services.flatMap(([, service]) =>
        service.command?.[0] === 'longhaul' ? [service.command] : [],
      ),
    )('and the others run a command of the command line: %s', (...words) => {
      expect(commandProblems(words)).toEqual([]);
    });

    it.each([
      ['worker', command[command.indexOf('--agents') + 1]],
      ['web', serviceOf('web').command?.[1]],
    ])('the %s runs a file that is mounted', (name, file = '') => {
      const [source = '', target = ''] = mountsOf(serviceOf(name))[0] ?? [];
      expect(file.startsWith(`${target}/`)).toBe(true);
      expect(statSync(join(root, source, file.slice(target.length))).size).toBeGreaterThan(0);
    });

    it('is asked where it answers', () => {
      const health = command[command.indexOf('--health') + 1];
      expect(worker.healthcheck?.test.at(-1)).toContain(`fetch('http://${health}')`);
    });

    it('has time to end its calls', () => {
      expect(Number.parseInt(worker.stop_grace_period ?? '', 10) * 1_000).toBeGreaterThan(
        timeouts.shutdownGrace,
      );
    });
  });

  it('asks the web service where it listens', () => {
    const { ports = [], healthcheck } = serviceOf('web');
    const port = ports[0]?.split(':').at(-1);
    expect(healthcheck?.test.at(-1)).toContain(`fetch('http://127.0.0.1:${port}/health')`);
  });
});
