import { z } from 'zod';

/** The path at which the App receives GitHub's webhooks. */
const webhookPath = '/api/github/webhooks';

/** The form as the person filled it in, validated. */
export interface SetupForm {
  readonly name: string;
  /** Where GitHub sends webhooks: the App itself, or a proxy that forwards them. */
  readonly webhook: string;
  readonly proxied: boolean;
  readonly homepage: string;
  /** Undefined: the person's own account. */
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
    // GitHub's own limit.
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
