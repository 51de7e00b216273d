import type { Logger } from 'pino';
import { SmeeClient } from 'smee-client';
import { webhookPath } from './webhook-server.ts';

/**
 * Fetches webhooks from a smee channel and delivers them at our own door, where signatures are checked as
 * ever.
 */
export async function followProxy(
  source: string | null,
  appUrl: string,
  logger: Logger,
): Promise<{ close(): Promise<void> }> {
  if (source === null) return { close: async () => undefined };
  const smee = new SmeeClient({ source, target: `${appUrl}${webhookPath}`, logger });
  await smee.start();
  logger.info(`webhooks come from ${source}`);
  return { close: async () => smee.stop() };
}
