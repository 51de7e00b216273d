import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { z } from 'zod';
import { webhookPath } from '../../app/webhook-server.ts';

/** What the person filled in, once it is valid. */
export interface SetupForm {
  readonly name: string;
  /** Where GitHub sends webhooks: the App itself, or a proxy that forwards them. */
  readonly webhook: string;
  readonly proxied: boolean;
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
  if (isLoopback(webhook) && !isLoopback(new URL(githubUrl))) return invalid([unreachable]);
  const proxied = delivery === 'proxy';
  if (!proxied && webhook.pathname === '/') webhook.pathname = webhookPath;
  const homepage = organization === '' ? githubUrl : `${githubUrl}/${organization}`;
  const form = {
    name,
    webhook: webhook.href,
    proxied,
    homepage,
    organization: organization || undefined,
  };
  return { outcome: 'valid', form };
}

const unreachable =
  'GitHub cannot reach an address of this machine; use a public address, or a proxy such as smee.io';

function invalid(problems: readonly string[]): FormResult {
  return { outcome: 'invalid', problems };
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
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
  };
}
