import { startWebhookServer, webhookPath } from '../../src/app/webhook-server.ts';
import { noRuns } from '../../src/github/events/delivery.ts';
import type { PartHandler } from '../measure/part.ts';
import { type Cpu, cpuMs } from './cpu.ts';
import { secret } from './delivery.ts';

/** The App's webhook server. No delivery of this benchmark may get past its filter. */
export async function openOurs(): Promise<PartHandler<{ url: string }, Cpu, number>> {
  const server = await startWebhookServer({
    host: '127.0.0.1',
    port: 0,
    secret,
    runs: () => noRuns,
    receive: async ({ name }) => {
      throw new Error(`a ${name} that does not concern a run was not filtered out`);
    },
    health: () => ({ ok: true }),
    onFault: (fault) => {
      throw fault;
    },
  });
  return { ready: { url: `${server.url}${webhookPath}` }, answer: cpuMs, end: () => server.close() };
}
