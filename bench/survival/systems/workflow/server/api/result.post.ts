import { defineEventHandler } from 'nitro/h3';
import { getRun } from 'workflow/api';

export default defineEventHandler(async ({ req }) => {
  const { runId } = await req.json();
  return await getRun(runId).returnValue.then(
    (ended) => ({ ended }),
    (error) => ({ failed: `Error: ${error.message}` }),
  );
});
