// Pure: no server.
import { desk, refusals, twoAgents } from './bad-specs';

describe('loadSpec', () => {
  it.each<[string, string, string[]]>([
    [
      'an unknown tool',
      desk('    tools: [lokup]\n'),
      [
        "4:13 agents[0].tools[0] is 'lokup', which is not among the registered tools; did you mean 'lookup'? Registered tools: lookup",
      ],
    ],
    [
      'an unknown tool, by potato',
      desk('    tools:\n      - name: nowhere\n'),
      [
        "5:15 agents[0].tools[0].name is 'nowhere', which is not among the registered tools. Registered tools: lookup",
      ],
    ],
    [
      'unknown callbacks',
      desk('    callbacks: [loging]\n'),
      [
        "4:17 agents[0].callbacks[0] is 'loging', which is not among the registered callbacks; did you mean 'logging'? Registered callbacks: logging",
      ],
    ],
    [
      'an unknown criterion',
      desk('    criteria: [{ kind: custom, name: long }]\n'),
      [
        "4:38 agents[0].criteria[0].name is 'long', which is not among the registered criteria. No criteria are registered",
      ],
    ],
    [
      'an unknown MCP server',
      desk('    mcpServers: [files]\n'),
      [
        "4:18 agents[0].mcpServers[0] is 'files', which is not among the registered MCP servers. No MCP servers are registered",
      ],
    ],
    [
      'approval in one place only',
      'agents:\n  - id: a\n    model: openai/x\n    tools: [lookup]\n  - id: b\n    model: openai/x\n    tools: [{ name: lookup, needsApproval: true }]\n',
      [
        "4:13 agents[0].tools[0] uses 'lookup' without needsApproval, which it has at spec.yaml:7:21: a tool has one rule for all agents",
      ],
    ],
    [
      'other rules of approvals in another place',
      'agents:\n  - id: a\n    model: openai/x\n    tools: [{ name: lookup, needsApproval: { by: { ids: [ada] } } }]\n  - id: b\n    model: openai/x\n    tools: [{ name: lookup, needsApproval: true }]\n',
      [
        "7:21 agents[1].tools[0].name gives 'lookup' other rules than spec.yaml:4:21: a tool has one rule for all agents",
      ],
    ],
    [
      'an id twice',
      'agents:\n  - { id: a, model: openai/x }\n  - { id: a, model: openai/y }\n',
      ["3:11 agents[1].id is 'a', which the runner at spec.yaml:2:11 has, too: rename one"],
    ],
    [
      'an id of an agent and a workflow',
      twoAgents('workflows:\n  - { id: a, kind: sequential, steps: [b] }\n'),
      ["5:11 workflows[0].id is 'a', which the runner at spec.yaml:2:11 has, too: rename one"],
    ],
    [
      'an id of an agent within a workflow',
      twoAgents(
        'workflows:\n  - id: w\n    kind: sequential\n    steps:\n      - { id: a, model: openai/x }\n',
      ),
      [
        "8:15 workflows[0].steps[0].id is 'a', which the runner at spec.yaml:2:11 has, too: rename one",
      ],
    ],
    [
      'an unknown kind of workflow',
      twoAgents('workflows:\n  - { id: w, type: sequental, steps: [a] }\n'),
      [
        "5:20 workflows[0].type must be one of 'sequential', 'parallel', 'graph', not 'sequental'; did you mean 'sequential'?",
      ],
    ],
    [
      'a workflow without kind',
      twoAgents('workflows:\n  - { id: w, steps: [a] }\n'),
      ["5:5 workflows[0].kind is required: one of 'sequential', 'parallel', 'graph'"],
    ],
    [
      'no steps',
      twoAgents('workflows:\n  - { id: w, kind: sequential, steps: [] }\n'),
      ['5:39 workflows[0].steps must not be empty'],
    ],
    [
      'steps without value',
      twoAgents('workflows:\n  - id: w\n    kind: sequential\n    steps:\n'),
      ['7:5 workflows[0].steps is required: an array of runners'],
    ],
    [
      'a reference to nothing',
      twoAgents(
        'workflows:\n  - id: w\n    kind: sequential\n    steps: [{ ref: a }, { ref: bb }]\n',
      ),
      ["7:32 workflows[0].steps[1].ref must be the id of a runner, not 'bb'. There are: a, b, w"],
    ],
    [
      'a reference with more than an id',
      twoAgents(
        'workflows:\n  - id: w\n    kind: sequential\n    steps:\n      - { ref: a, model: openai/x }\n',
      ),
      ['8:19 workflows[0].steps[0].model is not known'],
    ],
    [
      'a reference to what stands in another runner',
      twoAgents(
        'workflows:\n  - { id: v, kind: sequential, steps: [{ id: inner, model: openai/x }] }\n  - { id: w, kind: sequential, steps: [inner] }\n',
      ),
      [
        "6:40 workflows[1].steps[0] is 'inner', which stands within 'v' and is known only there: move it to the agents or workflows of the file",
      ],
    ],
    [
      'a step that is a list',
      twoAgents('workflows:\n  - { id: w, kind: sequential, steps: [[a]] }\n'),
      [
        '5:40 workflows[0].steps[0] must be the id of a runner, {ref: id}, or a runner, not an array',
      ],
    ],
    [
      'a step that is no runner',
      twoAgents('workflows:\n  - { id: w, kind: sequential, steps: [{ agent: a }] }\n'),
      [
        "5:40 workflows[0].steps[0].id is required: 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit",
        '5:42 workflows[0].steps[0].agent is not known',
      ],
    ],
    [
      'a circle',
      'workflows:\n  - { id: v, kind: sequential, steps: [w] }\n  - { id: w, kind: parallel, branches: [v] }\n',
      ['3:41 workflows[1].branches[0] closes a circle: v → w → v'],
    ],
    [
      'a workflow in itself',
      'workflows:\n  - { id: v, kind: sequential, steps: [{ ref: v }] }\n',
      ['2:47 workflows[0].steps[0].ref closes a circle: v → v'],
    ],
    [
      'agents that call each other',
      'agents:\n  - id: a\n    model: openai/x\n    subAgents: [{ name: b, description: B, runner: b }]\n  - id: b\n    model: openai/x\n    subAgents: [{ name: a, description: A, runner: { ref: a } }]\n',
      ['7:59 agents[1].subAgents[0].runner.ref closes a circle: a → b → a'],
    ],
    [
      'a merge that is none',
      twoAgents('workflows:\n  - { id: w, type: parallel, merge_strategy: last, steps: [a, b] }\n'),
      ["5:46 workflows[0].merge_strategy must be one of 'collect_all', 'first', not 'last'"],
    ],
    [
      'cancelling the rest of all',
      twoAgents('workflows:\n  - { id: w, kind: parallel, cancelRest: true, branches: [a, b] }\n'),
      ["5:42 workflows[0].cancelRest has no effect unless merge is 'first'"],
    ],
    [
      'branches in both spellings',
      twoAgents('workflows:\n  - { id: w, kind: parallel, steps: [a], branches: [b] }\n'),
      ["5:42 workflows[0].branches is the same field as 'steps': keep one of them"],
    ],
    [
      'a graph without tasks',
      twoAgents('workflows:\n  - { id: w, type: workflow, tasks: [] }\n'),
      ['5:37 workflows[0].tasks must not be empty'],
    ],
    [
      'a task without runner',
      twoAgents('workflows:\n  - { id: w, type: workflow, tasks: [{ id: t }] }\n'),
      ['5:38 workflows[0].tasks[0].runner is required: the id of a runner, {ref: id}, or a runner'],
    ],
    [
      'a task twice',
      twoAgents(
        'workflows:\n  - id: w\n    kind: graph\n    tasks:\n      - { id: t, runner: a }\n      - { id: t, runner: b }\n',
      ),
      ["9:15 workflows[0].tasks[1].id must not be 't': tasks[0] has that id, too"],
    ],
    [
      'an unknown dependency',
      twoAgents(
        'workflows:\n  - id: w\n    kind: graph\n    tasks:\n      - { id: totals, runner: a }\n      - { id: t, runner: b, dependencies: [total] }\n',
      ),
      [
        "9:44 workflows[0].tasks[1].dependencies[0] must be a task of the graph, not 'total'; did you mean 'totals'?",
      ],
    ],
    [
      'tasks in a circle',
      twoAgents(
        'workflows:\n  - id: w\n    kind: graph\n    tasks:\n      - { id: s, runner: a, dependencies: [t] }\n      - { id: t, runner: b, dependencies: [s] }\n',
      ),
      ['8:7 workflows[0].tasks depend on each other in a circle: s → t → s'],
    ],
    [
      'a prompt with an unknown task',
      twoAgents(
        'workflows:\n  - id: w\n    kind: graph\n    tasks:\n      - { id: totals, runner: a }\n      - { id: t, runner: b, dependencies: [totals], prompt: "Is ${total.output} right?" }\n',
      ),
      [
        "9:61 workflows[0].tasks[1].prompt refers to the unknown task 'total' in '${total.output}'; did you mean 'totals'?",
      ],
    ],
    [
      'a prompt that is not closed',
      twoAgents(
        'workflows:\n  - id: w\n    kind: graph\n    tasks: [{ id: t, runner: b, prompt: "Is ${input" }]\n',
      ),
      [
        "7:41 workflows[0].tasks[0].prompt has no '}' for '${input'; a literal '${' is written '$${'",
      ],
    ],
    [
      'a prompt file of text',
      twoAgents(
        'workflows:\n  - id: w\n    kind: graph\n    tasks: [{ id: t, runner: b, prompt: { path: p.md } }]\n',
      ),
      [
        '7:49 workflows[0].tasks[0].prompt.path names a file, but this spec is text and has no folder',
      ],
    ],
    [
      'a prompt file that cannot be read, and not the agent that takes its model from it',
      `agents: [{ id: x }]
workflows: [{ id: w, type: workflow, tasks: [{ id: t, agent: x, prompt: { path: p.md } }] }]`,
      [
        '2:81 workflows[0].tasks[0].prompt.path names a file, but this spec is text and has no folder',
      ],
    ],
  ])('refuses %s', (_, text, expected) => {
    expect(refusals(text)).toEqual(expected);
  });
});
