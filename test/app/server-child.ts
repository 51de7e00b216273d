import { startWebhookServer } from '../../src/app/webhook-server.ts';
import { noRuns } from '../../src/github/events/delivery.ts';

/** A webhook server in a process of its own, which says on request how much memory it has needed at most. */
const server = await startWebhookServer({
  host: '127.0.0.1',
  port: 0,
  secret: 'only GitHub and we know',
  runs: () => noRuns,
  receive: async () => undefined,
  health: () => ({ ok: true }),
  onFault: () => undefined,
});
process.on('message', () => process.send?.({ mebibytes: process.resourceUsage().maxRSS / 1024 }));
process.send?.({ url: server.url });
