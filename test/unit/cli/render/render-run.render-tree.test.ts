// Pure: no server.
import { renderTree } from '../../../../src/cli/render/render-run';
import { createStyle } from '../../../../src/cli/render/text';
import { aQuestion, aTree, usageOf } from '../builders';

const options = { style: createStyle(false), width: 60 };

describe('renderTree', () => {
  it('shows a line for each run, indented below its caller, cut to the width', () => {
    const tree = aTree({
      runner: 'desk',
      kind: 'sequential',
      path: 'desk',
      status: 'needs-input',
      turn: 0,
      children: [
        aTree({
          path: 'desk/branch-1',
          status: 'needs-input',
          turn: 1,
          usage: usageOf(null),
          pending: [aQuestion({ question: 'Which\n\u001b[31mcity?' }), aQuestion()],
        }),
        aTree({ path: 'desk/planner', children: [aTree({ path: 'desk/planner/x', turn: 0 })] }),
      ],
    });
    expect(renderTree(tree, options)).toEqual([
      'RUN                   STATUS       SO FAR',
      'desk                  needs-input  sequential · 30 tokens',
      '  branch-1 (planner)  needs-input  1 model turn · asks: Whi…',
      '  planner             completed    2 model turns · 30 tokens',
      '    x (planner)       completed    30 tokens',
    ]);
  });
});
