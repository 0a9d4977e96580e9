// Pure: no server.
import { defineAgent, defineTool, type Agent, type Tool } from '../../../src';
import type { JsonObject } from '../../../src/base/json';
import { createWorker, LonghaulPlugin, type CreateWorkerOptions } from '../../../src/worker';
import { packageVersion } from '../../../src/server/machine';
import { versionOf } from '../../../src/cli/commands/worker';
import { scriptedModel } from '../../../src/testing';

const providers = { scripted: scriptedModel([]) };
const name = 'support';

const deploymentOf = (options: CreateWorkerOptions) =>
  new LonghaulPlugin({ providers, workerDeployment: { name }, ...options }).configureWorker({
    taskQueue: 'queue',
  }).workerDeploymentOptions;
const buildIdOf = (runners: Agent[], options: CreateWorkerOptions = {}): string =>
  deploymentOf({ runners, ...options })?.version.buildId ?? '';

const aTool = (toolName: string, properties: JsonObject = {}, text = 'found'): Tool<JsonObject> =>
  defineTool({
    name: toolName,
    description: 'Looks up',
    inputSchema: { type: 'object', properties },
    execute: () => text,
  });
const lookup = (properties?: JsonObject, text?: string) => aTool('lookup', properties, text);
const agent = (id: string, instructions: string, tools: Tool[] = []): Agent =>
  defineAgent({ id, model: 'scripted/one', instructions, tools });

describe('workerDeployment', () => {
  it("becomes the options of Temporal's worker", () => {
    expect(deploymentOf({ workerDeployment: { name, buildId: '4f2c1e' } })).toEqual({
      version: { deploymentName: 'support', buildId: '4f2c1e' },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    });
    const pinned = deploymentOf({ workerDeployment: { name, behavior: 'PINNED' } });
    expect(pinned?.defaultVersioningBehavior).toBe('PINNED');
    expect(new LonghaulPlugin().configureWorker({ taskQueue: 'queue' })).not.toHaveProperty(
      'workerDeploymentOptions',
    );
  });

  it('has a build id of the package version and of all that runs pin', () => {
    const first = buildIdOf([agent('one', 'Be kind.', [lookup()]), agent('two', 'Be short.')]);
    expect(first).toMatch(new RegExp(`^${packageVersion()}-[0-9a-f]{12}$`));
    // The order in which things are registered, and the code of a tool, make no difference.
    expect(
      buildIdOf([agent('two', 'Be short.'), agent('one', 'Be kind.', [lookup({}, 'other code')])]),
    ).toBe(first);
    const two = agent('two', 'Be short.');
    const others = [
      buildIdOf([agent('one', 'Be brief.', [lookup()]), two]),
      buildIdOf([agent('one', 'Be kind.', [lookup({ id: { type: 'string' } })]), two]),
      buildIdOf([agent('one', 'Be kind.', [lookup()])]),
      buildIdOf([agent('one', 'Be kind.', [lookup()]), two], { tools: [aTool('more')] }),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
  });

  it.each([
    [{ name: 'a.b' }, 'workerDeployment.name must be 1 to 200 letters'],
    [{ name: '__support' }, 'workerDeployment.name must be 1 to 200 letters'],
    [{ name: 'n'.repeat(201) }, 'workerDeployment.name must be 1 to 200 letters'],
    [{}, 'workerDeployment.name'],
    [{ name, buildId: '' }, 'workerDeployment.buildId must be 1 to 255 ASCII characters'],
    [{ name, buildId: '__unversioned__' }, "not starting with '__'"],
    [{ name, buildId: 'b'.repeat(256) }, 'workerDeployment.buildId must be 1 to 255'],
    [{ name, behavior: 'AUTO' }, 'workerDeployment.behavior'],
    [{ name, buildID: '1' }, 'workerDeployment.buildID is not known'],
    ['support', 'workerDeployment must be'],
  ])('%j is refused before there is a connection', async (workerDeployment, message) => {
    const options = { providers, workerDeployment } as CreateWorkerOptions;
    await expect(createWorker(options)).rejects.toMatchObject({
      code: 'SpecError',
      message: expect.stringContaining(message) as string,
    });
  });

  it("is refused beside the options of Temporal's worker that say the same", async () => {
    const version = { deploymentName: 'other', buildId: '1' };
    const workerDeploymentOptions = { version, useWorkerVersioning: false } as const;
    const workerDeployment = { name };
    await expect(
      createWorker({ providers, workerDeployment, workerOptions: { workerDeploymentOptions } }),
    ).rejects.toMatchObject({
      code: 'SpecError',
      message: expect.stringContaining('leave one of the two out') as string,
    });
    const plugin = new LonghaulPlugin({ providers, workerDeployment });
    expect(() => plugin.configureWorker({ taskQueue: 'queue', workerDeploymentOptions })).toThrow(
      'workerDeploymentOptions',
    );
  });
});

describe('the flags of a version', () => {
  it('win over the file, and need the name of a deployment', () => {
    const inFile = { name, buildId: '1' };
    expect(versionOf(inFile, {})).toEqual(inFile);
    expect(versionOf(inFile, { deployment: 'other', buildId: '2', pinned: true })).toEqual({
      name: 'other',
      buildId: '2',
      behavior: 'PINNED',
    });
    expect(versionOf(undefined, {})).toBeUndefined();
    expect(() => versionOf(undefined, { pinned: true })).toThrow('add --deployment');
    expect(() => versionOf(undefined, { buildId: '2' })).toThrow('add --deployment');
  });
});
