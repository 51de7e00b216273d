import type { Octokit } from '@octokit/rest';

/** How long a new token is believed to be one that GitHub accepts, in milliseconds. */
const freshMs = 10_000;

const renewals = new WeakMap<Pick<Octokit, 'auth'>, { at: number; token: Promise<string> }>();

/** The token with which a client acts for an installation; renewed when it has expired. */
export async function installationToken(octokit: Pick<Octokit, 'auth'>): Promise<string> {
  return tokenIn(await octokit.auth({ type: 'installation' }));
}

/**
 * Another one, because GitHub has refused it: a token can be revoked long before it expires. Everybody who
 * was refused meanwhile gets the same.
 */
export function renewInstallationToken(octokit: Pick<Octokit, 'auth'>): Promise<string> {
  const now = performance.now();
  const known = renewals.get(octokit);
  if (known !== undefined && now - known.at < freshMs) return known.token;
  const token = octokit.auth({ type: 'installation', refresh: true }).then(tokenIn);
  renewals.set(octokit, { at: now, token });
  token.catch(() => renewals.delete(octokit));
  return token;
}

/** What auth-app's strategy returns; Octokit's type is `unknown`. */
function tokenIn(authentication: unknown): string {
  return (authentication as { token: string }).token;
}
