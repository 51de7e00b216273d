import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Sandbox } from '../agent/index.ts';
import { createApi } from '../api/api.ts';
import type { Repository as GitHubRepository } from '../github/events/github-event.ts';
import { connect, type Log } from '../github/octokit/connect.ts';
import { unless } from '../github/octokit/fault.ts';
import { repoParams } from '../github/read/repository-ref.ts';
import type { Reach } from '../page/forms/offers.ts';
import type { Guide } from '../page/guide.ts';
import { createPage } from '../page/page.ts';
import type { ProgressBoard } from '../repository/progress-board.ts';
import type { Repository } from '../repository/repository.ts';
import { machineFaultIn } from '../runs/run/machine-faults.ts';
import type { State } from '../steering/state/state.ts';
import { type Coxswain, openCoxswain, reportFault } from './coxswain.ts';
import type { AppEnvironment } from './environment/environment.ts';
import { savePageAddress } from './environment/page-address.ts';
import type { Installations } from './installations.ts';
import { listRepositories } from './known-repositories.ts';
import { startWebhookServer, type WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

export interface App {
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  /** The address of the page, including its key: not for a log. Null if there is no page. */
  readonly pageUrl: string | null;
  /** The file that contains this address. */
  readonly pageFile: string | null;
  /** What contains the programs of attempts. */
  readonly sandbox: Sandbox['kind'];
  /** What agents are doing. */
  readonly progress: ProgressBoard;
  /** The newest state of every run that this process knows. */
  runs(): readonly State[];
  /** Whether a request, also one to another port here, is from someone who is signed in to the page. */
  admits(headers: IncomingHttpHeaders): boolean;
  /** Stops listening, releases the work in progress, and records the remaining events. */
  stop(): Promise<void>;
}

export type { Guidance, Guide, Shown, Track, TrackStep, Words } from '../page/guide.ts';

/** Starts the App with a server of its own. The guide is for demonstrations: it says what to try next. */
export async function startApp(environment: AppEnvironment, logger: Logger, guide?: Guide): Promise<App> {
  const coxswain = await openCoxswain({ ...environment, secrets: secretsOf(environment) }, logger);
  try {
    const page = mountPage(environment, coxswain, guide);
    const api = mountApi(environment, coxswain, logger);
    const server = await serve(environment, { coxswain, page, api }, reportFault(coxswain, logger));
    api.at(server.url);
    const saved = await savedAddress(page, server, environment.data);
    coxswain.sweeper.start();
    const end = () => stop(server, { coxswain, page, api });
    const admits = (headers: IncomingHttpHeaders) => page?.admits(headers) ?? false;
    const runs = () => coxswain.liveRuns.newest();
    const { progress, sandbox } = coxswain;
    return { url: server.url, ...saved, sandbox: sandbox.kind, progress, runs, admits, stop: end };
  } catch (fault) {
    await coxswain.close();
    throw fault;
  }
}

/**
 * The page acts as the person whose token the operator gave; without a token there is none. The App's own
 * clients read the list of repositories and, once the person has read the pull request of a run, its ledger
 * and its diff.
 */
function mountPage(
  { pageToken, pageUrl, apiUrl, host }: AppEnvironment,
  { installations, liveRuns, progress }: Coxswain,
  guide?: Guide,
) {
  if (pageToken === null) return undefined;
  let url = pageUrl ?? '';
  const key = randomBytes(18).toString('base64url');
  const person = connect({ token: pageToken, baseUrl: apiUrl });
  const repositories = () => listRepositories(installations);
  const reach = pageReach({ host, pageUrl });
  const origin = () => url;
  return {
    ...createPage({ person, repositories, liveRuns, progress, key, origin, reach, guide }),
    /** Tells the page its address. */
    at: (listening: string) => {
      url = pageUrl ?? listening;
    },
    /** The address for a person, including the key. */
    address: () => `${url}/?key=${key}`,
  };
}

/** Who can reach the page: only who is at this machine, if it listens there and nothing else leads to it. */
export function pageReach({ host, pageUrl }: Pick<AppEnvironment, 'host' | 'pageUrl'>): Reach {
  const hosts = pageUrl === null ? [host] : [host, new URL(pageUrl).hostname];
  return hosts.every(isLoopback) ? 'this_machine' : 'network';
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === '::1' || name === 'localhost' || name.endsWith('.localhost');
}

/**
 * The API acts only with the tokens that its callers present. The App's own clients read what GitHub shows of
 * a run to whoever may read its repository: the ledger and the diff.
 */
function mountApi({ apiUrl, pageUrl }: AppEnvironment, coxswain: Coxswain, log: Log) {
  const { liveRuns, index, sweeper, progress } = coxswain;
  let url = pageUrl ?? '';
  const { handle, close } = createApi({
    ...{ apiUrl, liveRuns, index, progress, log },
    installed: installedWith(coxswain.installations),
    lookedAt: () => sweeper.lookedAt,
    origin: () => url,
  });
  return {
    handle,
    close,
    /** Tells the API its address. */
    at: (listening: string) => {
      url = pageUrl ?? listening;
    },
  };
}

/** How long it counts where the App is installed, in milliseconds. */
const ttl = 60_000;

/**
 * Finds out whether the App is installed on a repository. Anyone may ask about any public one, so GitHub is
 * asked only about those of accounts with an installation.
 */
function installedWith(
  installations: Installations,
): (found: GitHubRepository) => Promise<Repository | undefined> {
  const accounts = new LRUCache<'all', ReadonlySet<string>>({
    ...{ max: 1, ttl },
    fetchMethod: async () => new Set((await installations.all()).map(({ account }) => account.toLowerCase())),
  });
  const homes = new LRUCache<number, { readonly id: number | undefined }, GitHubRepository>({
    ...{ max: 5000, ttl },
    fetchMethod: async (_id, _stale, { context: found }) => {
      const { owner, repo } = repoParams(found);
      const asked = installations.app.rest.apps.getRepoInstallation({ owner, repo });
      return { id: (await unless(asked, 404))?.data.id };
    },
  });
  return async (found) => {
    const known = installations.homeOf(found.id)?.installation;
    if (known !== undefined) return installations.repository(found, known);
    if (!(await accounts.forceFetch('all')).has(found.owner.toLowerCase())) return undefined;
    const { id } = await homes.forceFetch(found.id, { context: found });
    return id === undefined ? undefined : installations.repository(found, id);
  };
}

/** The address of the page, kept where its user finds it; a server that nobody can use is closed. */
async function savedAddress(
  page: ReturnType<typeof mountPage>,
  server: WebhookServer,
  data: string,
): Promise<Pick<App, 'pageUrl' | 'pageFile'>> {
  page?.at(server.url);
  const pageUrl = page?.address() ?? null;
  if (pageUrl === null) return { pageUrl, pageFile: null };
  try {
    return { pageUrl, pageFile: await savePageAddress(data, pageUrl) };
  } catch (fault) {
    page?.close();
    await server.close();
    throw fault;
  }
}

interface Served {
  readonly coxswain: Coxswain;
  readonly page: ReturnType<typeof mountPage>;
  readonly api: ReturnType<typeof mountApi>;
}

function serve(
  { host, port, webhookSecret: secret, data }: AppEnvironment,
  { coxswain, page, api }: Served,
  onFault: WebhookServerOptions['onFault'],
): Promise<WebhookServer> {
  const { receiver, sandbox, sweeper } = coxswain;
  const cannotWrite = writability(data);
  return startWebhookServer({
    host,
    port,
    secret,
    runs: () => receiver.runs,
    receive: (delivery) => receiver.receive(delivery),
    onFault,
    health: () => ({
      ok: cannotWrite() === undefined,
      cannot_write: cannotWrite(),
      sandbox: sandbox.kind,
      last_sweep: sweeper.lastSweep,
      ...(sweeper.failures > 0 && { sweep_failures: sweeper.failures }),
      ...(sweeper.givenUp > 0 && { given_up_deliveries: sweeper.givenUp }),
      ...warningAbout(coxswain),
    }),
    other: async (request, response) =>
      (await api.handle(request, response)) || ((await page?.handle(request, response)) ?? false),
  });
}

/** Keys that other processes have and this one has not, with the number of runs that wait for them. */
function warningAbout({ liveRuns }: Coxswain): { readonly unknown_ledger_keys?: object } {
  const counts: Record<string, number> = {};
  for (const key of liveRuns.services.unknownKeys.values()) counts[key] = (counts[key] ?? 0) + 1;
  return Object.keys(counts).length === 0 ? {} : { unknown_ledger_keys: counts };
}

function secretsOf({ secrets, webhookSecret, pageToken }: AppEnvironment): readonly string[] {
  return [...secrets, webhookSecret, ...(pageToken === null ? [] : [pageToken])];
}

async function stop(server: WebhookServer, { coxswain, page, api }: Served): Promise<void> {
  page?.close();
  await Promise.all([api.close(), server.close()]);
  await coxswain.close();
}

const heldMs = 10_000;
/** Even a full disk may have room for a few bytes. */
const probe = Buffer.alloc(65_536, 1);

/** Looks whether a folder can be written to, at most every ten seconds: why not, or undefined if it can. */
export function writability(folder: string): () => string | undefined {
  let looked: { readonly at: number; readonly why: string | undefined } | undefined;
  return () => {
    if (looked === undefined || performance.now() - looked.at > heldMs)
      looked = { at: performance.now(), why: problemWith(folder) };
    return looked.why;
  };
}

function problemWith(folder: string): string | undefined {
  const path = join(folder, `.writable-${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(folder, { recursive: true });
    try {
      writeFileSync(path, probe, { mode: 0o600 });
    } finally {
      rmSync(path, { force: true });
    }
    return undefined;
  } catch (fault) {
    return machineFaultIn(fault) ?? String(fault);
  }
}
