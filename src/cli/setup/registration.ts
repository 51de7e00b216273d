import { convert, type NewApp } from './conversion.ts';
import { envText, writeSecret } from './files.ts';
import type { SetupResult } from './setup.ts';
import type { StartOptions } from './setup-form.ts';

export interface Places {
  readonly githubUrl: string;
  readonly apiUrl: string;
  readonly envPath: string;
  readonly keyPath: string;
}

/** Turns GitHub's code into an App whose secrets are kept. Throws when GitHub could not be asked. */
export async function register(
  code: string,
  startOptions: StartOptions,
  places: Places,
): Promise<SetupResult> {
  const app = await convert(code, places.apiUrl);
  try {
    await writeSecret(places.keyPath, app.pem);
    await writeSecret(places.envPath, envText(settingsOf(app, startOptions, places)));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    return { outcome: 'unsaved', problem: `${problem}; ${advice}`, settings_url: settingsUrl(app, places) };
  }
  return {
    outcome: 'registered',
    app_id: app.id,
    slug: app.slug,
    install_url: `${app.html_url}/installations/new`,
    env_path: places.envPath,
    key_path: places.keyPath,
  };
}

const advice = 'the App exists on GitHub: in its settings, make a new private key and a new webhook secret';

function settingsOf(app: NewApp, startOptions: StartOptions, places: Places): Record<string, string> {
  const { host, protocol } = new URL(places.githubUrl);
  return {
    APP_ID: String(app.id),
    PRIVATE_KEY_PATH: places.keyPath,
    WEBHOOK_SECRET: app.webhook_secret,
    ...(host === 'github.com' ? {} : { GHE_HOST: host }),
    ...(protocol === 'http:' ? { GHE_PROTOCOL: 'http' } : {}),
    ...(startOptions.proxied ? { WEBHOOK_PROXY_URL: startOptions.webhook } : {}),
  };
}

function settingsUrl({ owner, slug }: NewApp, { githubUrl }: Places): string {
  const account = owner.type === 'Organization' ? `organizations/${encodeURIComponent(owner.login)}/` : '';
  return `${githubUrl}/${account}settings/apps/${slug}`;
}
