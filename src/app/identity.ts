import type { Connection } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';

/** The App as GitHub knows it. */
export interface Identity {
  readonly slug: string;
  /** The login that our comments bear. */
  readonly login: string;
  /** What `app.yml` asks for and the App was not given, each as `checks: write`. */
  readonly missing: readonly string[];
}

/** As `app.yml` asks for them. */
const needed = {
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  metadata: 'read',
} as const;

/** Asks GitHub who this key belongs to. Throws a message for the operator when it belongs to nobody. */
export async function whoAmI(app: Connection): Promise<Identity> {
  const { data } = await app.rest.apps.getAuthenticated().catch((cause: unknown) => {
    if (cause instanceof GitHubFault && cause.status === 401) {
      throw new Error('GitHub does not know this App: APP_ID and the private key do not belong together', {
        cause,
      });
    }
    throw new Error('could not ask GitHub which App this is', { cause });
  });
  const slug = data?.slug;
  if (slug === undefined) throw new Error('GitHub answered GET /app without a slug');
  return { slug, login: `${slug}[bot]`, missing: missingOf(data?.permissions ?? {}) };
}

function missingOf(granted: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(needed)
    .filter(([name, level]) => granted[name] !== 'write' && granted[name] !== level)
    .map(([name, level]) => `${name}: ${level}`);
}
