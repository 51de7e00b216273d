import { z } from 'zod';

/** Where the webhooks of GitHub arrive at the App. */
export const webhookPath = '/api/github/webhooks';

/** What the person typed, checked. */
export interface StartOptions {
  readonly name: string;
  /** Where GitHub sends webhooks: the App itself, or a proxy that passes them on. */
  readonly webhook: string;
  readonly proxied: boolean;
  readonly homepage: string;
  /** Undefined: the person's own account. */
  readonly organization: string | undefined;
}

export type WishReading =
  | { readonly outcome: 'clear'; readonly startOptions: StartOptions }
  | { readonly outcome: 'unclear'; readonly problems: readonly string[] };

const urlText = (what: string) =>
  z.url({ protocol: /^https?$/, error: `${what} is an http or https address` });

const typed = z.object({
  name: z
    .string({ error: 'the App needs a name' })
    .trim()
    .min(1, { error: 'the App needs a name' })
    // GitHub's own limit.
    .max(34, { error: 'the name has at most 34 characters' }),
  webhook: urlText('the webhook address'),
  delivery: z.enum(['direct', 'proxy'], { error: 'webhooks arrive directly or by a proxy' }),
  organization: z
    .string({ error: 'the organization is a name, or empty' })
    .regex(/^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))?$/, { error: 'the organization is a name, such as acme' }),
});

/** `githubUrl` decides whether a loopback address can be reached, and serves as homepage. */
export function readWish(fields: URLSearchParams, githubUrl: string): WishReading {
  const checked = typed.safeParse(Object.fromEntries(fields));
  if (!checked.success) return unclear(checked.error.issues.map(({ message }) => message));

  const { name, delivery, organization } = checked.data;
  const webhook = new URL(checked.data.webhook);
  if (isLoopback(webhook) && !isLoopback(new URL(githubUrl))) return unclear([unreachable]);
  const proxied = delivery === 'proxy';
  if (!proxied && webhook.pathname === '/') webhook.pathname = webhookPath;
  const homepage = organization === '' ? githubUrl : `${githubUrl}/${organization}`;
  const startOptions = {
    name,
    webhook: webhook.href,
    proxied,
    homepage,
    organization: organization || undefined,
  };
  return { outcome: 'clear', startOptions };
}

const unreachable =
  'GitHub cannot reach an address of this machine; take a public one, or a proxy such as smee.io';

function unclear(problems: readonly string[]): WishReading {
  return { outcome: 'unclear', problems };
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
