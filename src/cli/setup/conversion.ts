import { z } from 'zod';

/** What GitHub returns once for a new App. It contains secrets: never print it. */
const newApp = z.object({
  id: z.int(),
  slug: z.string().regex(/^[A-Za-z0-9-]+$/),
  html_url: z.url({ protocol: /^https?$/ }),
  pem: z.string().includes('PRIVATE KEY'),
  webhook_secret: z.string().min(1),
  owner: z.object({ login: z.string(), type: z.string() }),
});

export type NewApp = z.output<typeof newApp>;

const timeoutMs = 30_000;

/** Exchanges the code from GitHub's redirect; it works once, within an hour. */
export async function convert(code: string, apiUrl: string): Promise<NewApp> {
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
