import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Context, Observers } from './context.ts';
import { Faults } from './faults.ts';
import { type Mail, mailsOf } from './operations/mails.ts';
import { RequestLog } from './request-log.ts';
import { createRouter } from './router.ts';
import { routes } from './routes/index.ts';
import { createSeed, type Seed } from './seed/create-seed.ts';
import { repositoryCalled } from './seed/lookup.ts';
import { listen } from './server.ts';
import { openStore } from './store.ts';
import { DeliveryQueue, emitWebhooks } from './webhooks.ts';
import type { createWebsite, Website, WebsiteOptions } from './website/website.ts';

export interface ForgeOptions extends Observers {
  /** Default: 0, which picks a free port. */
  port?: number;
  /** Where repositories and state are stored. The default is a temporary folder, which `stop` removes. */
  dir?: string;
  now?: () => Date;
  /** The most entries on a page of the API. Default: 100, as on GitHub. */
  largestPage?: number;
  /** Pages for browsers, only for demonstrations. Without it, there are none. */
  website?: WebsiteOptions;
}

/** A running forge: a small GitHub for tests and demonstrations. */
export interface Forge {
  /** Such as `http://127.0.0.1:4000`; for Git and browsers. */
  url: string;
  /** `url` followed by `/api/v3`. */
  apiUrl: string;
  seed: Seed;
  requests: RequestLog;
  /** Whether no webhook delivery is pending. */
  quiet(): boolean;
  /** What GitHub would have mailed about issues and pull requests of the repository `owner/name`. */
  mails(repository: string): Mail[];
  stop(): Promise<void>;
}

export async function startForge(options: ForgeOptions = {}): Promise<Forge> {
  const dir = folderFor(options);
  const { context, queue } = openContext(dir, options);
  const requests = new RequestLog();
  const router = createRouter(routes);
  const website = options.website && (await websiteFor({ context, router, options: options.website }));
  const admits = options.website?.admits ?? (() => true);
  const serving = { context, router, log: requests, website, admits };
  const server = await listen(serving, options.port ?? 0, (port) => {
    context.url = `http://127.0.0.1:${port}`;
    context.apiUrl = `${context.url}/api/v3`;
  });
  return {
    url: context.url,
    apiUrl: context.apiUrl,
    seed: createSeed(context),
    requests,
    quiet: () => queue.idle,
    mails: (name) => mailsOf(context, repositoryCalled(context, name)),
    async stop() {
      queue.close();
      await close(server);
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
      else context.store.save(stateFile(dir));
    },
  };
}

/** Loaded only if it is needed: most tests have no browser. */
async function websiteFor(parts: Parameters<typeof createWebsite>[0]): Promise<Website> {
  const { createWebsite: create } = await import('./website/website.ts');
  return create(parts);
}

function folderFor(options: ForgeOptions): string {
  if (options.dir === undefined) return mkdtempSync(join(tmpdir(), 'forge-'));
  mkdirSync(options.dir, { recursive: true });
  return resolve(options.dir);
}

function openContext(dir: string, options: ForgeOptions): { context: Context; queue: DeliveryQueue } {
  const context: Context = {
    store: openStore(stateFile(dir)),
    url: 'http://127.0.0.1',
    apiUrl: 'http://127.0.0.1/api/v3',
    dir,
    observers: options,
    faults: new Faults(),
    signedIn: null,
    now: options.now ?? (() => new Date()),
    largestPage: options.largestPage ?? 100,
    emit: (event) => emitWebhooks(context, event),
    enqueue: (app, delivery) => queue.add(app, delivery),
  };
  const queue = new DeliveryQueue(context);
  return { context, queue };
}

function stateFile(dir: string): string {
  return join(dir, 'forge.json');
}

function close(server: Server): Promise<void> {
  return new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });
}

export type { Exchange, Observers, RepositoryEvent } from './context.ts';
export type { ActivityFault, Fault } from './faults.ts';
export type { FileContent } from './git/create.ts';
export type {
  Activity,
  ActivityType,
  App,
  Dispatch,
  MergeQueueRule,
  Permissions,
  Repository,
  Role,
} from './model.ts';
export type { Mail } from './operations/mails.ts';
export type { LoggedRequest, RequestLog } from './request-log.ts';
export type { ForgeRequest, ForgeResponse, HookResult, RequestHook } from './requests.ts';
export type { NewRepository, Seed } from './seed/create-seed.ts';
export type { NewRule, NewRuleset, RefRule } from './seed/rules.ts';
export type { WebsiteOptions } from './website/website.ts';
