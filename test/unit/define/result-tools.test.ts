// Pure: no server.
import { defineAgent, parallel, subAgent } from '../../../src';
import { isSameDefinition } from '../../../src/define/diff';
import { createRegistry } from '../../../src/define/registry';
import { resultTools, withResultTools } from '../../../src/define/result-tools';
import { aTool } from './builders';

const names = ['read_result', 'find_in_result'];
const worker = defineAgent({ id: 'worker', model: 'm/one', tools: [aTool('search')] });
const bare = defineAgent({ id: 'bare', model: 'm/one' });
const silent = defineAgent({
  id: 'silent',
  model: 'm/one',
  tools: [aTool('look')],
  toolChoice: 'none',
});
const caller = defineAgent({
  id: 'caller',
  model: 'm/one',
  tools: [subAgent(bare, { name: 'ask', description: 'Asks' })],
});
const all = parallel({ id: 'all', branches: [worker, silent, caller] });

describe('withResultTools', () => {
  const definition = createRegistry({ runners: [all] }).definition('all');
  const pinned = withResultTools(definition);

  it('gives the tools to each agent whose model gets results, after its own', () => {
    const toolsOf = (id: string) => {
      const spec = pinned.runners[id];
      return spec?.kind === 'agent' ? spec.tools : undefined;
    };
    expect(toolsOf('worker')).toEqual(['search', ...names]);
    expect(toolsOf('caller')).toEqual(names);
    expect(toolsOf('bare')).toBeUndefined();
    expect(toolsOf('silent')).toEqual(['look']);
    expect(pinned.tools).toMatchObject(resultTools);
  });

  it('leaves a definition alone in which no agent has tools', () => {
    const alone = createRegistry({ runners: [bare] }).definition('bare');
    expect(withResultTools(alone)).toBe(alone);
  });

  it('makes no difference to what a run is compared with', () => {
    expect(isSameDefinition(definition, pinned)).toBe(true);
    const other = createRegistry({ runners: [parallel({ id: 'all', branches: [worker] })] });
    expect(isSameDefinition(other.definition('all'), pinned)).toBe(false);
  });
});
