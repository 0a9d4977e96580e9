import { defineTool } from 'eve/tools';
import { always } from 'eve/tools/approval';
import { code, description, input } from '../../code.mjs';
import { refund } from '../../step.mjs';

export default defineTool({
  description,
  inputSchema: input,
  approval: always(),
  execute: async (args) => refund(code, args),
});
