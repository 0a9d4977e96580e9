import { defineEventHandler } from 'nitro/h3';
import { getHookByToken } from 'workflow/api';

export default defineEventHandler(async ({ req }) => {
  const { run } = await req.json();
  return await getHookByToken(run).then(
    () => ({ waits: true }),
    () => ({ waits: false }),
  );
});
