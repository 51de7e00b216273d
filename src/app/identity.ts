import type { Connection } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import type { Own } from '../github/own.ts';
import { askedEvents, askedPermissions } from './asked-for.ts';

/** The App according to GitHub. */
export interface Identity {
  readonly slug: string;
  readonly own: Own;
  /** The permissions of `app.yml` that the App lacks, each as `checks: write`. */
  readonly missing: readonly string[];
  /** The events of `app.yml` that GitHub does not send to it. */
  readonly unheard: readonly string[];
}

/** Asks GitHub to which App this key belongs. Throws a message for the operator if there is none. */
export async function whoAmI(app: Connection): Promise<Identity> {
  const { data } = await app.rest.apps.getAuthenticated().catch((cause: unknown) => {
    if (cause instanceof GitHubFault && cause.status === 401) {
      throw new Error('GitHub does not know this App: APP_ID and the private key do not belong together', {
        cause,
      });
    }
    throw new Error('could not ask GitHub which App this is', { cause });
  });
  const { slug, id } = data ?? {};
  if (slug === undefined || id === undefined) throw new Error('GitHub answered GET /app without slug and id');
  const own = { login: `${slug}[bot]`, app: { id } };
  const heard = data?.events ?? [];
  const unheard = Object.keys(askedEvents).filter((event) => !heard.includes(event));
  return { slug, own, missing: missingOf(data?.permissions ?? {}), unheard };
}

/** The permissions of `app.yml` that are not among those granted, each as `checks: write`. */
export function missingOf(granted: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(askedPermissions)
    .filter(([name, { level }]) => granted[name] !== 'write' && granted[name] !== level)
    .map(([name, { level }]) => `${name}: ${level}`);
}
