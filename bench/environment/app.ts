import { pino } from 'pino';
import { startApp } from '../../src/app/app.ts';
import { readEnvironment } from '../../src/app/environment/environment.ts';
import { webhookPath } from '../../src/app/webhook-server.ts';
import type { PartHandler } from '../measure/part.ts';

/** The App as `npm run serve` starts it, in a separate process; the settings are its environment. */
export type AppSettings = Readonly<Record<string, string>>;

export async function openApp(
  settings: AppSettings,
): Promise<PartHandler<{ webhookUrl: string }, never, null>> {
  const app = await startApp(readEnvironment(settings), pino({ level: 'error' }, pino.destination(2)));
  return {
    ready: { webhookUrl: `${app.url}${webhookPath}` },
    answer: async () => null,
    end: () => app.stop(),
  };
}
