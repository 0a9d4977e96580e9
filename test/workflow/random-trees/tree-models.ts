import type { ModelProvider, ModelRequest } from '../../../src/providers/provider';
import { scriptedModel, type ScriptedStep } from '../../../src/testing/scripted-model';
import { nextStep } from './replies';
import { calleesOf, type AgentNode, type Tree, type TreeNode } from './tree';

/** The model call of a tree that is under way while the tree's run is cancelled. */
type Held = { left: number; readonly cancel: () => Promise<void> };

const mostCalls = 20_000;

/** The one provider of all trees: what a model says is told by its name and its conversation. */
export class TreeModels {
  readonly provider: ModelProvider;
  readonly #agents = new Map<string, AgentNode>();
  readonly #held = new Map<string, Held>();

  constructor() {
    const step = (request: ModelRequest): Promise<ScriptedStep> => this.#say(request);
    this.provider = scriptedModel(Array.from({ length: mostCalls }, () => step));
  }

  add({ root }: Tree): void {
    for (const agent of agentsOf(root)) this.#agents.set(agent.id, agent);
  }

  /** `cancel` is called while that model call of the tree is under way, which then goes on. */
  holdCall({ id }: Tree, number: number, cancel: () => Promise<void>): void {
    this.#held.set(id, { left: number, cancel });
  }

  async #say(request: ModelRequest): Promise<ScriptedStep> {
    const agent = this.#agents.get(request.model);
    if (agent === undefined) throw new Error(`no agent has the model '${request.model}'`);
    await this.#hold(agent.id.slice(0, agent.id.indexOf('.')));
    return nextStep(agent, request);
  }

  async #hold(tree: string): Promise<void> {
    const held = this.#held.get(tree);
    if (held === undefined) return;
    held.left -= 1;
    if (held.left === 0) await held.cancel();
  }
}

function agentsOf(node: TreeNode): readonly AgentNode[] {
  switch (node.kind) {
    case 'agent':
      return [node, ...calleesOf(node).flatMap(([, { callee }]) => agentsOf(callee))];
    case 'sequential':
      return node.steps.flatMap(agentsOf);
    case 'parallel':
      return node.branches.flatMap(agentsOf);
    case 'graph':
      return node.tasks.flatMap(({ runner }) => agentsOf(runner));
  }
}
