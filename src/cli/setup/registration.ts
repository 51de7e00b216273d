import { newSealKey } from '../../seal/keys.ts';
import { convert, type NewApp } from './conversion.ts';
import { envText, writeSecret } from './files.ts';
import type { SetupForm } from './setup-form.ts';
import type { SetupResult } from './setup-result.ts';

/** Where to register the App, and where its secrets are saved. */
export interface SetupTargets {
  readonly githubUrl: string;
  readonly apiUrl: string;
  readonly envPath: string;
  readonly keyPath: string;
}

/** Exchanges GitHub's code for the new App and saves its secrets. Throws when GitHub cannot be reached. */
export async function register(code: string, form: SetupForm, targets: SetupTargets): Promise<SetupResult> {
  const app = await convert(code, targets.apiUrl);
  try {
    await writeSecret(targets.keyPath, app.pem);
    await writeSecret(targets.envPath, envText(settingsOf(app, form, targets)));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    return { outcome: 'unsaved', problem: `${problem}; ${advice}`, settings_url: settingsUrl(app, targets) };
  }
  return {
    outcome: 'registered',
    app_id: app.id,
    slug: app.slug,
    install_url: `${app.html_url}/installations/new`,
    env_path: targets.envPath,
    key_path: targets.keyPath,
  };
}

const advice = 'the App exists on GitHub: in its settings, create a new private key and a new webhook secret';

function settingsOf(app: NewApp, form: SetupForm, targets: SetupTargets): Record<string, string> {
  const { host, protocol } = new URL(targets.githubUrl);
  return {
    APP_ID: String(app.id),
    PRIVATE_KEY_PATH: targets.keyPath,
    WEBHOOK_SECRET: app.webhook_secret,
    COXSWAIN_LEDGER_KEY: newSealKey(),
    ...(host === 'github.com' ? {} : { GHE_HOST: host }),
    ...(protocol === 'http:' ? { GHE_PROTOCOL: 'http' } : {}),
    ...(form.proxied ? { WEBHOOK_PROXY_URL: form.webhook } : {}),
  };
}

function settingsUrl({ owner, slug }: NewApp, { githubUrl }: SetupTargets): string {
  const account = owner.type === 'Organization' ? `organizations/${encodeURIComponent(owner.login)}/` : '';
  return `${githubUrl}/${account}settings/apps/${slug}`;
}
