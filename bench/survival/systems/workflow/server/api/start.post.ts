import { defineEventHandler } from 'nitro/h3';
import { start } from 'workflow/api';
import { refunds } from '../../workflows/refunds';

export default defineEventHandler(async ({ req }) => {
  const { run, task } = await req.json();
  return { runId: (await start(refunds, [run, task])).runId };
});
