import type { Logger } from 'pino';
import { SmeeClient } from 'smee-client';
import { webhookPath } from './webhook-server.ts';

/** Forwards webhooks from a smee channel to our own server, which checks their signatures as usual. */
export async function followProxy(
  source: string | null,
  appUrl: string,
  logger: Logger,
): Promise<{ close(): Promise<void> }> {
  if (source === null) return { close: async () => undefined };
  const smee = new SmeeClient({ source, target: `${appUrl}${webhookPath}`, logger });
  await smee.start();
  logger.info(`receiving webhooks from ${source}`);
  return { close: async () => smee.stop() };
}
