// Pure: reads deploy/kubernetes, and compiles it against the types of Kubernetes; no cluster.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1';
import type { Probe, Service } from 'kubernetes-types/core/v1';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import { timeouts } from '../../src/protocol/limits';
import { commandProblems } from './cli/command-problems';

const root = resolve(__dirname, '../..');
const folder = join(root, 'deploy/kubernetes');
const modules: Readonly<Record<string, string>> = { Deployment: 'apps/v1', Service: 'core/v1' };

const manifests = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map(
    (document) => document.toJS() as Deployment | Service,
  ),
);
const named = <Kind extends Deployment | Service>(kind: string, name: string): Kind => {
  const found = manifests.find((one) => one.kind === kind && one.metadata?.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found as Kind;
};

/** What the compiler says of manifests as literals: unknown fields, wrong types, and fields that are missing. */
function problemsOf(objects: readonly object[]): readonly string[] {
  const text = objects
    .map((object, index) => {
      const { kind = '' } = object as { readonly kind?: string };
      const type = `import('kubernetes-types/${modules[kind]}').${kind}`;
      return `export const m${index}: ${type} = ${JSON.stringify(object)};`;
    })
    .join('\n');
  const file = join(root, 'manifests.ts');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2023.d.ts'],
    module: ts.ModuleKind.Node20,
  };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023) : read(name, ...rest);
  const exists = host.fileExists.bind(host);
  host.fileExists = (name) => name === file || exists(name);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('deploy/kubernetes', () => {
  it('fits the schema of Kubernetes', () => {
    expect(manifests.length).toBeGreaterThan(2);
    expect(problemsOf(manifests)).toEqual([]);
  });

  it('would be refused with an unknown field, a wrong type, or without what must be there', () => {
    const manifest = named<Deployment>('Deployment', 'longhaul-worker');
    const { spec } = manifest;
    expect(problemsOf([{ ...manifest, spec: { ...spec, replica: 2 } }])).toEqual([
      expect.stringMatching(/replica.*does not exist/),
    ]);
    expect(problemsOf([{ ...manifest, spec: { ...spec, replicas: '2' } }])).toHaveLength(1);
    expect(problemsOf([{ ...manifest, spec: { template: spec?.template } }])).toEqual([
      expect.stringContaining('selector'),
    ]);
  });

  describe.each(['longhaul-worker', 'longhaul-web'])('%s', (name) => {
    const { spec } = named<Deployment>('Deployment', name);
    const pod = spec?.template.spec;
    const [container] = pod?.containers ?? [];
    const portNamed = (port: unknown): number | undefined =>
      container?.ports?.find((one) => one.name === port)?.containerPort;

    it('selects its own pods', () => {
      expect(spec?.template.metadata?.labels).toMatchObject(spec?.selector.matchLabels ?? {});
    });

    it('has probes at ports that it opens', () => {
      const { startupProbe, readinessProbe, livenessProbe } = container ?? {};
      const probes: readonly (Probe | undefined)[] = [startupProbe, readinessProbe, livenessProbe];
      for (const probe of probes)
        expect(portNamed((probe?.httpGet ?? probe?.tcpSocket)?.port)).toEqual(expect.any(Number));
    });

    it('has limits, and no rights that it does not need', () => {
      expect(container?.resources?.limits).toHaveProperty('memory');
      expect(container?.resources?.requests).toHaveProperty('cpu');
      expect(container?.securityContext?.allowPrivilegeEscalation).toBe(false);
      expect(pod?.securityContext?.runAsNonRoot).toBe(true);
      expect(pod?.automountServiceAccountToken).toBe(false);
    });

    it('has no secret in it', () => {
      const plain = container?.env?.filter(({ name: of }) => /KEY|TOKEN|PASSWORD/.test(of));
      expect(plain).toEqual([]);
      expect(container?.envFrom).toEqual([{ secretRef: { name: 'longhaul' } }]);
    });
  });

  describe('the worker', () => {
    const { spec } = named<Deployment>('Deployment', 'longhaul-worker');
    const pod = spec?.template;
    const [container] = pod?.spec?.containers ?? [];
    const args = container?.args ?? [];

    it('runs a command of the command line', () => {
      expect(commandProblems(args)).toEqual([]);
    });

    it('takes its build id from the label of the pod', () => {
      const [buildId] = container?.env ?? [];
      expect(args.at(-1)).toBe(`$(${buildId?.name})`);
      const [, label = ''] = /'(.+)'/.exec(buildId?.valueFrom?.fieldRef?.fieldPath ?? '') ?? [];
      expect(pod?.metadata?.labels).toHaveProperty([label]);
      expect(spec?.selector.matchLabels).not.toHaveProperty([label]);
    });

    it('is probed where it answers', () => {
      const [port] = container?.ports ?? [];
      expect(args[args.indexOf('--health') + 1]).toBe(`0.0.0.0:${port?.containerPort}`);
    });

    it('has time to end its calls', () => {
      const grace = pod?.spec?.terminationGracePeriodSeconds ?? 0;
      expect(grace * 1_000).toBeGreaterThan(timeouts.shutdownGrace);
    });
  });

  it('leads the service to the pods of the web service', () => {
    const { spec } = named<Service>('Service', 'longhaul-web');
    const { template } = named<Deployment>('Deployment', 'longhaul-web').spec ?? {};
    expect(template?.metadata?.labels).toMatchObject(spec?.selector ?? {});
    const ports = template?.spec?.containers.flatMap((one) => one.ports ?? []);
    expect(ports?.map(({ name }) => name)).toContain(spec?.ports?.[0]?.targetPort);
  });
});
