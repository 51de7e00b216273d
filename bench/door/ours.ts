import { startWebhookServer, webhookPath } from '../../src/app/webhook-server.ts';
import type { Role } from '../measure/part.ts';
import { type Cpu, cpuMs } from './cpu.ts';
import { secret } from './delivery.ts';

/** The App's door. Nothing of this benchmark may get further than the door. */
export async function openOurs(): Promise<Role<{ url: string }, Cpu, number>> {
  const server = await startWebhookServer({
    host: '127.0.0.1',
    port: 0,
    secret,
    receive: async ({ name }) => {
      throw new Error(`a ${name} that does not concern us came through the door`);
    },
    health: () => ({ ok: true }),
    onFault: (fault) => {
      throw fault;
    },
  });
  return { ready: { url: `${server.url}${webhookPath}` }, answer: cpuMs, end: () => server.close() };
}
