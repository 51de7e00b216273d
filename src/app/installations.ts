import type { Mirror } from '../git/mirror.ts';
import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import {
  type Connection,
  installationToken,
  type Log,
  renewInstallationToken,
} from '../github/octokit/connect.ts';
import { connectAsApp } from '../github/octokit/connect-as-app.ts';

import { createRateLimiter, type WriteLimits } from '../github/octokit/rate-limiter.ts';
import type { Own } from '../github/own.ts';
import { firstPages } from '../github/read/pagination.ts';
import { type Repository, repositoryFrom } from '../runs/repository/repository.ts';

/** A limit for one sweep, 10,000 installations: anyone may install a public App. */
const maxPages = 100;

export interface InstallationsOptions {
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

  async all(): Promise<readonly Installation[]> {
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

export interface Installation {
  readonly id: number;
  /** The user or organization it belongs to; empty for an enterprise. */
  readonly account: string;
}
