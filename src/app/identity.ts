import type { Connection } from '../github/octokit/connect.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import type { Own } from '../github/own.ts';
import { type AskedPermission, askedEvents, askedPermissions } from './asked-for.ts';

/** The App according to GitHub. */
export interface Identity {
  readonly slug: string;
  readonly own: Own;
  /** The permissions of `app.yml` that the App lacks, each as `checks: write`. */
  readonly missing: readonly string[];
  /** The events of `app.yml` that GitHub does not send to it. */
  readonly unheard: readonly string[];
  /** Whether it hears of merge groups, which matters only where a branch has a merge queue. */
  readonly hearsQueues: boolean;
}

/** What hears of merge groups: an event for which an App needs a permission. */
const queueEvent = 'merge_group' satisfies keyof typeof askedEvents;

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
  const all = Object.keys(askedEvents).filter((event) => !heard.includes(event));
  const granted = data?.permissions ?? {};
  const hearsQueues = !all.includes(queueEvent) && missingForQueues(granted).length === 0;
  const unheard = all.filter((event) => event !== queueEvent);
  return { slug, own, missing: missingOf(granted), unheard, hearsQueues };
}

type Granted = Readonly<Record<string, unknown>>;

/** The permissions of `app.yml` that are not among those granted and matter everywhere, each as `checks: write`. */
export function missingOf(granted: Granted): readonly string[] {
  return missingFor(granted, undefined);
}

/** The same of those that matter only where a branch has a merge queue. */
export function missingForQueues(granted: Granted): readonly string[] {
  return missingFor(granted, 'queues');
}

function missingFor(granted: Granted, where: AskedPermission['only']): readonly string[] {
  const asked: readonly (readonly [string, AskedPermission])[] = Object.entries(askedPermissions);
  return asked
    .filter(
      ([name, { level, only }]) => only === where && granted[name] !== 'write' && granted[name] !== level,
    )
    .map(([name, { level }]) => `${name}: ${level}`);
}
