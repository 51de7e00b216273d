import { pino } from 'pino';
import { startApp } from '../../src/app/app.ts';
import { readEnvironment } from '../../src/app/environment/environment.ts';
import { webhookPath } from '../../src/app/webhook-server.ts';
import { newSealKey } from '../../src/seal/seal-keys.ts';
import type { PartHandler } from '../measure/part.ts';
import { secret } from '../server/delivery.ts';
import type { ForgeReady } from './forge.ts';

/** The App as `npm run serve` starts it, in a separate process; the settings are its environment. */
export type AppSettings = Readonly<Record<string, string>>;

/** What the App needs to work with the forge; its data goes to the folder. */
export function appVariables({ url, app }: Pick<ForgeReady, 'url' | 'app'>, data: string): AppSettings {
  return {
    APP_ID: String(app.id),
    PRIVATE_KEY: app.privateKey,
    WEBHOOK_SECRET: secret,
    COXSWAIN_LEDGER_KEY: newSealKey(),
    GHE_HOST: new URL(url).host,
    GHE_PROTOCOL: 'http',
    PORT: '0',
    COXSWAIN_DATA: data,
    COXSWAIN_SANDBOX: 'off',
  };
}

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
