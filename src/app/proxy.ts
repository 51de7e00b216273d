import type { Logger } from 'pino';
import { SmeeClient } from 'smee-client';
import { webhookPath } from './webhook-server.ts';

/**
 * Forwards webhooks from a smee channel to our own server, which checks their signatures as usual. A channel
 * that cannot be reached is tried again and again: until then the sweep finds what was missed.
 */
export function followProxy(
  source: string | null,
  appUrl: string,
  logger: Logger,
): { close(): Promise<void> } {
  if (source === null) return { close: async () => undefined };
  const smee = new SmeeClient({ source, target: `${appUrl}${webhookPath}`, logger });
  smee.start().then(
    () => logger.info(`receiving webhooks from ${source}`),
    () => logger.error(`WEBHOOK_PROXY_URL is ${source}, which cannot be reached; it is tried again`),
  );
  return { close: () => smee.stop() };
}
