import { defineEventHandler } from 'nitro/h3';
import { approval } from '../../workflows/refunds';

export default defineEventHandler(async ({ req }) => {
  const { run } = await req.json();
  await approval.resume(run, { approved: true });
  return {};
});
