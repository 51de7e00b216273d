import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { z } from 'zod';
import { isLoopback, isSafe } from '../../app/environment/page-access.ts';
import { callbackUrlOf } from '../../app/environment/page-address.ts';
import { webhookPath } from '../../app/webhook-server.ts';

/** What the person filled in, once it is valid. */
export interface SetupForm {
  readonly name: string;
  /** Where GitHub sends webhooks: the App itself, or a proxy that forwards them. */
  readonly webhook: string;
  readonly proxied: boolean;
  /** Where people open the page and sign in, without a path, such as `https://coxswain.example.org`. */
  readonly page: string;
  readonly homepage: string;
  /** Undefined if the person's own account is to own the App. */
  readonly organization: string | undefined;
}

type FormResult =
  | { readonly outcome: 'valid'; readonly form: SetupForm }
  | { readonly outcome: 'invalid'; readonly problems: readonly string[] };

const urlText = (what: string) =>
  z.url({ protocol: /^https?$/, error: `${what} must be an http or https address` });

const formSchema = z.object({
  name: z
    .string({ error: 'the App needs a name' })
    .trim()
    .min(1, { error: 'the App needs a name' })
    // GitHub takes no longer name.
    .max(34, { error: 'the name must have at most 34 characters' }),
  webhook: urlText('the webhook address'),
  delivery: z.enum(['direct', 'proxy'], { error: 'webhooks arrive directly or through a proxy' }),
  page: z.preprocess((text) => text || undefined, urlText("the page's address").optional()),
  organization: z
    .string({ error: 'the organization must be a name or empty' })
    .regex(/^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))?$/, {
      error: 'the organization must be a name, such as acme',
    }),
});

/** `githubUrl` decides whether GitHub can reach a loopback address; it is also the App's homepage. */
export function readSetupForm(fields: URLSearchParams, githubUrl: string): FormResult {
  const checked = formSchema.safeParse(Object.fromEntries(fields));
  if (!checked.success) return invalid(checked.error.issues.map(({ message }) => message));

  const { name, delivery, organization } = checked.data;
  const webhook = new URL(checked.data.webhook);
  if (isLoopback(webhook.hostname) && !isLoopback(new URL(githubUrl).hostname)) return invalid([unreachable]);
  const proxied = delivery === 'proxy';
  const page = new URL(checked.data.page ?? (proxied ? onThisMachine : webhook.origin));
  const objection = objectionToPage(page);
  if (objection !== undefined) return invalid([objection]);
  if (!proxied && webhook.pathname === '/') webhook.pathname = webhookPath;
  const homepage = organization === '' ? githubUrl : `${githubUrl}/${organization}`;
  const form = {
    name,
    webhook: webhook.href,
    proxied,
    page: page.origin,
    homepage,
    organization: organization || undefined,
  };
  return { outcome: 'valid', form };
}

/** Where the App listens unless `HOST` and `PORT` say something else. */
const onThisMachine = 'http://127.0.0.1:3000';

/** Why the page cannot be at this address, with what to give instead; undefined if it can. */
function objectionToPage(page: URL): string | undefined {
  const { href, origin } = page;
  if (href !== `${origin}/`) return `the page's address must have no path: ${origin}`;
  if (isSafe(page)) return undefined;
  return `people sign in at ${origin}, where anyone on the way could listen: give an https address of the page`;
}

const unreachable =
  'GitHub cannot reach an address of this machine; use a public address, or a proxy such as smee.io';

function invalid(problems: readonly string[]): FormResult {
  return { outcome: 'invalid', problems };
}

const appYml = z.strictObject({
  description: z.string(),
  public: z.boolean(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});

export type AppYml = z.output<typeof appYml>;

export type Manifest = ReturnType<typeof manifestFor>;

export async function readAppYml(path: string): Promise<AppYml> {
  try {
    return appYml.parse(load(await readFile(path, 'utf8'), { maxAliases: 0 }));
  } catch (cause) {
    throw new Error(`could not read the App's manifest from ${path}`, { cause });
  }
}

/** What GitHub's page for new Apps takes in its field `manifest`. */
export function manifestFor(form: SetupForm, app: AppYml, redirectUrl: string) {
  return {
    ...app,
    name: form.name,
    url: form.homepage,
    hook_attributes: { url: form.webhook, active: true as const },
    redirect_url: redirectUrl,
    callback_urls: [callbackUrlOf(form.page)],
  };
}
