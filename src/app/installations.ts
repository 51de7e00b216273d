import type { Mirror } from '../git/mirror.ts';
import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import {
  type Connection,
  installationToken,
  type Log,
  renewInstallationToken,
} from '../github/octokit/connect.ts';
import { connectAsApp } from '../github/octokit/connect-as-app.ts';
import { GitHubFault } from '../github/octokit/fault.ts';
import { createRateLimiter, type WriteLimits } from '../github/octokit/rate-limiter.ts';
import type { Own } from '../github/own.ts';
import { firstPages } from '../github/read/pagination.ts';
import { type Repository, repositoryFrom } from '../repository/repository.ts';
import { type AskedPermission, askedEvents, askedPermissions } from './asked-permissions.ts';

/** A limit for one sweep, 10,000 installations: anyone may install a public App. */
const maxPages = 100;

interface InstallationsOptions {
  readonly appId: number;
  readonly privateKey: string;
  readonly apiUrl: string;
  readonly data: string;
  readonly log: Log;
  /** The write limits of each client; GitHub's own by default. */
  readonly writeLimits: WriteLimits;
  /** Called with every mirror before its first use. */
  onMirror(mirror: Mirror): Promise<void>;
  /** Called with every new client. */
  onClient(client: Connection): void;
}

/** The App's clients: one for itself, and one per installation with its own rate limiter and token. */
export class Installations {
  /** Acts as the App itself. */
  readonly app: Connection;
  /** The login of our comments; set once GitHub has been asked. */
  own: Own = { login: '', app: { id: 0 } };
  readonly #options: InstallationsOptions;
  readonly #clients = new Map<number, Connection>();
  readonly #repositories = new Map<number, Repository>();

  constructor(options: InstallationsOptions) {
    this.#options = options;
    this.app = this.#connect();
  }

  client(installationId: number): Connection {
    const known = this.#clients.get(installationId);
    if (known !== undefined) return known;
    const client = this.#connect(installationId);
    this.#clients.set(installationId, client);
    return client;
  }

  /** The account is the user or organization that an installation belongs to; empty for an enterprise. */
  async all(): Promise<readonly { readonly id: number; readonly account: string }[]> {
    const pages = this.app.paginate.iterator(this.app.rest.apps.listInstallations, { per_page: 100 });
    const found = await firstPages(pages, maxPages);
    return found
      .filter(({ suspended_at }) => suspended_at === null)
      .map(({ id, account }) => ({
        id,
        account: account !== null && 'login' in account ? account.login : '',
      }));
  }

  /** Returns the same object for a repository until it is renamed or the App is reinstalled. */
  repository(incoming: GitHubRepository, installationId: number): Repository {
    const octokit = this.client(installationId);
    const known = this.#repositories.get(incoming.id);
    if (known?.owner === incoming.owner && known.name === incoming.name && known.octokit === octokit)
      return known;
    const token = ({ renewed = false } = {}) =>
      renewed ? renewInstallationToken(octokit) : installationToken(octokit);
    const { data, onMirror: onOpen } = this.#options;
    const repository = repositoryFrom({ repository: incoming, octokit, token, own: this.own, data, onOpen });
    this.#repositories.set(incoming.id, repository);
    return repository;
  }

  /** Where a repository is installed that this process knows. */
  homeOf(repositoryId: number): { readonly name: string; readonly installation: number } | undefined {
    const known = this.#repositories.get(repositoryId);
    const [installation] = [...this.#clients].find(([, client]) => client === known?.octokit) ?? [];
    if (known === undefined || installation === undefined) return undefined;
    return { name: `${known.owner}/${known.name}`, installation };
  }

  #connect(installationId?: number): Connection {
    const { appId, privateKey, apiUrl: baseUrl, log, onClient } = this.#options;
    const limits = this.#options.writeLimits;
    const auth = { appId, privateKey, ...(installationId === undefined ? {} : { installationId }) };
    const client = connectAsApp({ auth, baseUrl, log, pace: createRateLimiter({ limits }) });
    onClient(client);
    return client;
  }
}

/** The App according to GitHub. */
export interface AppIdentity {
  readonly slug: string;
  /** With it people sign in; undefined where GitHub does not tell it. */
  readonly clientId: string | undefined;
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
export async function whoAmI(app: Connection): Promise<AppIdentity> {
  const { data } = await app.rest.apps.getAuthenticated().catch((cause: unknown) => {
    if (cause instanceof GitHubFault && cause.status === 401) {
      throw new Error('GitHub does not know this App: APP_ID and the private key do not belong together', {
        cause,
      });
    }
    throw new Error('could not ask GitHub which App this is', { cause });
  });
  const { slug, id, client_id: clientId } = data ?? {};
  if (slug === undefined || id === undefined) throw new Error('GitHub answered GET /app without slug and id');
  const own = { login: `${slug}[bot]`, app: { id } };
  const heard = data?.events ?? [];
  const all = Object.keys(askedEvents).filter((event) => !heard.includes(event));
  const granted = data?.permissions ?? {};
  const hearsQueues = !all.includes(queueEvent) && missingForQueues(granted).length === 0;
  const unheard = all.filter((event) => event !== queueEvent);
  return { slug, clientId, own, missing: missingOf(granted), unheard, hearsQueues };
}

type Granted = Readonly<Record<string, unknown>>;

/**
 * The permissions of `app.yml` that are not among those granted and matter everywhere, each as `checks:
 * write`.
 */
export function missingOf(granted: Granted): readonly string[] {
  return missingFor(granted, undefined);
}

/**
 * The permissions of `app.yml` that are not among those granted and matter only where a branch has a merge
 * queue.
 */
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
