// Pure: no server.
import { renderThread } from '../../../../src/cli/render/render-thread';
import { commandLine } from '../../../../src/cli/render/render-parts';
import { createStyle } from '../../../../src/cli/render/text';
import { anApproval, aState } from '../builders';

const options = { style: createStyle(false), command: commandLine({}) };

describe('renderThread', () => {
  it('shows what was said in its turns, what they ask, and how to see one', () => {
    const workflowId = 'thread:shop/ada/s1';
    const turns = [
      {
        workflowId: `${workflowId}.turn-1`,
        status: 'completed',
        user: 'Hi',
        assistant: 'Hello\n!',
      },
      { workflowId: `${workflowId}.turn-2`, status: 'running', user: 'Send it' },
      { workflowId: `${workflowId}.turn-3`, status: 'queued', user: 'And then?' },
    ] as const;
    const state = aState({ status: 'needs-input', turn: 3, pending: [anApproval()] });
    expect(renderThread({ workflowId, state, turns }, options)).toEqual([
      'thread:shop/ada/s1  needs-input',
      'planner · conversation · 3 turns',
      '',
      'thread:shop/ada/s1.turn-1  completed',
      'user',
      '  Hi',
      'assistant',
      '  Hello',
      '  !',
      '',
      'thread:shop/ada/s1.turn-2  running',
      'user',
      '  Send it',
      '',
      'thread:shop/ada/s1.turn-3  queued',
      'user',
      '  And then?',
      '',
      'planner asks for approval: May send_mail run? {"to":"bob"}',
      'approve with: npx longhaul answer thread:shop/ada/s1 --approve a1.0',
      "refuse with:  npx longhaul answer thread:shop/ada/s1 --reject a1.0 'the reason'",
      'see a turn:   npx longhaul show thread:shop/ada/s1.turn-2',
    ]);
  });
});
