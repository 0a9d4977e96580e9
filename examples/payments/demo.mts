// `npm run example payments`: an invoice that the bank checks, two people approve, and one of them corrects.
// Usage: npm run example payments -- [what to pay]
import { resolve } from 'node:path';
import { tellAudit } from '../shared/audit.mts';
import { tellEnd } from '../shared/closing.mts';
import { runDemo } from '../shared/run-demo.mts';
import { openStage, type StageHands } from '../shared/stage.mts';
import { Story } from '../shared/story.mts';
import { bankStandIn } from './bank.mts';
import { Ledger } from './books.mts';
import { Mailbox } from './mailbox.mts';
import { OfficeServer } from './office-server.mts';
import { Office } from './office.mts';
import { nextTurn } from './offline-script.mts';
import { mia } from './people.mts';
import { bankWebhook } from './webhook.mts';

const task = 'Please pay invoice 2026-041.';

async function demo({ screen, cleanups }: StageHands): Promise<void> {
  const ledger = resolve('.longhaul/payments.jsonl');
  const server = await OfficeServer.open();
  cleanups.push(() => server.close());
  const worker = new URL('worker.mts', import.meta.url);
  // In production these are days.
  const settings = { ledger, office: server.url, remindAfter: '2s', escalateAfter: '4s' };
  const stage = await openStage({ script: nextTurn, worker, settings }, { screen, cleanups });
  const { longhaul } = stage;
  const mailbox = new Mailbox();
  server.route('/mails', mailbox.take);
  server.route('/webhook', bankWebhook(longhaul));
  server.route(
    '/bank',
    bankStandIn(`${server.url}/webhook`, (told) => screen.line('bank', told)),
  );
  await stage.startWorker();

  const given = process.argv.slice(2).join(' ');
  const run = await longhaul.start('payments', given || task, { by: mia });
  const page = stage.pageOf(run.workflowId);
  screen.line('run', `${run.workflowId}, in Temporal's Web UI:\n${page}`);
  screen.gap();
  const story = new Story(run, screen);
  const ended = run.result().finally(() => mailbox.end());
  ended.catch(() => undefined);
  const office = new Office(run, screen);
  for await (const notice of mailbox.read()) await office.read(notice);
  const result = await ended;
  await story.ended;
  screen.gap();
  await tellAudit(run, screen);
  const payments = await new Ledger(ledger).paymentsOf(run.workflowId);
  screen.line('ledger', [ledger, ...payments.map((line) => JSON.stringify(line))].join('\n'));
  await longhaul.close();
  await tellEnd(screen, {
    outcome: { kind: 'complete', result },
    story,
    page,
    example: 'payments',
  });
}

await runDemo('Longhaul example: payments that people and a bank decide about', demo);
