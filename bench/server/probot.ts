import { generateKeyPairSync } from 'node:crypto';
import { pino } from 'pino';
import { Probot, Server } from 'probot';
import type { PartHandler } from '../measure/part.ts';
import { type Cpu, cpuMs } from './cpu.ts';
import { secret } from './delivery.ts';

/** Probot's own server with one handler that does nothing: what most Apps use. */
export async function openProbot(): Promise<PartHandler<{ url: string }, Cpu, number>> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const log = pino({ level: 'warn' });
  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    log,
    Probot: Probot.defaults({ appId: 1, privateKey, secret, log }),
  });
  await server.load((app) => {
    app.on('issue_comment', () => undefined);
  });
  await server.start();
  return {
    ready: { url: `http://127.0.0.1:${server.port}/api/github/webhooks` },
    answer: cpuMs,
    end: () => server.stop(),
  };
}
