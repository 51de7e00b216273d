import { constants } from 'node:fs';
import { access, lstat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { newSealKey } from '../../seal/seal-keys.ts';
import type { SetupForm } from './setup-form.ts';

/** Where to register the App, and where its secrets are saved. */
export interface SetupTargets {
  readonly githubUrl: string;
  readonly apiUrl: string;
  readonly envPath: string;
  readonly keyPath: string;
}

/** How setup ended; it is JSON, so its names are in snake_case. */
export type SetupResult = Readonly<
  | {
      outcome: 'registered';
      app_id: number;
      slug: string;
      install_url: string;
      page_url: string;
      env_path: string;
      key_path: string;
    }
  /** The App exists on GitHub, but its secrets could not be saved. `problem` says why and what to do. */
  | { outcome: 'unsaved'; problem: string; settings_url: string }
  | { outcome: 'expired' }
  | { outcome: 'stopped' }
>;

type Registered = Extract<SetupResult, { outcome: 'registered' }>;

/** One thing to do after setup. */
export interface Step {
  /** What to do, as a sentence without its full stop. */
  readonly text: string;
  /** The command to run, or the address to open. */
  readonly run?: string;
  readonly open?: string;
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
    page_url: form.page,
    env_path: targets.envPath,
    key_path: targets.keyPath,
  };
}

const advice =
  'the App exists on GitHub: in its settings, create a new private key, a new webhook secret and a new client ' +
  'secret, because GitHub shows none of them again';

function settingsOf(app: NewApp, form: SetupForm, targets: SetupTargets): Record<string, string> {
  const { host, protocol } = new URL(targets.githubUrl);
  return {
    APP_ID: String(app.id),
    PRIVATE_KEY_PATH: targets.keyPath,
    WEBHOOK_SECRET: app.webhook_secret,
    COXSWAIN_LEDGER_KEY: newSealKey(),
    GITHUB_CLIENT_ID: app.client_id,
    GITHUB_CLIENT_SECRET: app.client_secret,
    COXSWAIN_SESSION_KEY: newSealKey(),
    COXSWAIN_PAGE_URL: form.page,
    ...(host === 'github.com' ? {} : { GHE_HOST: host }),
    ...(protocol === 'http:' ? { GHE_PROTOCOL: 'http' } : {}),
    ...(form.proxied ? { WEBHOOK_PROXY_URL: form.webhook } : {}),
  };
}

function settingsUrl({ owner, slug }: NewApp, { githubUrl }: SetupTargets): string {
  const account = owner.type === 'Organization' ? `organizations/${encodeURIComponent(owner.login)}/` : '';
  return `${githubUrl}/${account}settings/apps/${slug}`;
}

/** What GitHub returns once for a new App. It contains secrets: never print it. */
const newApp = z.object({
  id: z.int(),
  slug: z.string().regex(/^[A-Za-z0-9-]+$/),
  html_url: z.url({ protocol: /^https?$/ }),
  pem: z.string().includes('PRIVATE KEY'),
  webhook_secret: z.string().min(1),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  owner: z.object({ login: z.string(), type: z.string() }),
});

type NewApp = z.output<typeof newApp>;

const timeoutMs = 30_000;

/** Exchanges the code from GitHub's redirect; it works once, within an hour. */
async function convert(code: string, apiUrl: string): Promise<NewApp> {
  const response = await fetch(`${apiUrl}/app-manifests/${encodeURIComponent(code)}/conversions`, {
    method: 'POST',
    headers: { accept: 'application/vnd.github+json', 'user-agent': 'coxswain' },
    // A redirect would send the code to another host.
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw new Error(`could not reach ${apiUrl} to exchange the code`, { cause });
  });
  if (!response.ok) throw new Error(`could not exchange the code: ${apiUrl} answered ${response.status}`);
  return readNewApp(await response.json(), apiUrl);
}

function readNewApp(answer: unknown, apiUrl: string): NewApp {
  const checked = newApp.safeParse(answer);
  if (checked.success) return checked.data;
  // Names only, because the values are secrets.
  const missing = checked.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new Error(`could not read the new App in the answer of ${apiUrl}: ${missing}`);
}

/** Setup was asked for something it does not do, such as replacing a file. Nothing has been changed yet. */
class SetupRefused extends Error {
  override name = 'SetupRefused';
}

/** Checked before an App is registered, because GitHub shows its secrets only once. */
export async function refuseExisting(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (await exists(path)) {
      throw new SetupRefused(
        `${path} already exists and is never overwritten; move it or choose another file`,
      );
    }
    await access(dirname(path), constants.W_OK).catch((cause: unknown) => {
      throw new SetupRefused(`could not write ${path}: its folder is missing or read-only`, { cause });
    });
  }
}

/** Writes a file that only its owner can read; fails when the path exists, even as a symbolic link. */
async function writeSecret(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    throw new Error(`could not write ${path}`, { cause });
  }
}

/** Lines that Node's `--env-file` and dotenv both read the same way. */
export function envText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${quoted(value)}\n`)
    .join('');
}

function quoted(value: string): string {
  if (/^[\w./:@%+-]*$/.test(value)) return value;
  if (/[\n\r]/.test(value)) throw new Error('could not write a setting: its value has more than one line');
  const quote = ["'", '"', '`'].find((each) => !value.includes(each));
  if (quote === undefined)
    throw new Error('could not write a setting: its value contains every kind of quote');
  return `${quote}${value}${quote}`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return false; // what lstat throws has a code
    throw new Error(`could not check whether ${path} exists`, { cause });
  }
}

/** What is left to do once the App is registered, in order: it draws its first check when it is installed. */
export function nextSteps({ env_path, key_path, install_url, page_url }: Registered): readonly Step[] {
  return [
    {
      text:
        `Keep a copy of ${env_path} and ${key_path}, and keep both secret: ` +
        'without the ledger key in the first, open runs have to start over',
    },
    { text: 'Start the App', run: 'npm run serve' },
    {
      text: 'While it runs, install it on a repository: it then draws the first check, which rules can name',
      open: install_url,
    },
    { text: 'Open the page of your runs, and sign in with GitHub', open: page_url },
    { text: 'Make a branch rule that requires the check Coxswain with this App as its source' },
    { text: 'See whether anything is missing', run: 'coxswain doctor' },
  ];
}
