import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Sandbox } from '../agent/index.ts';
import type { Guide } from '../page/guide.ts';
import type { ProgressBoard } from '../repository/progress-board.ts';
import { machineFaultIn } from '../runs/run/machine-faults.ts';
import type { State } from '../steering/state/state.ts';
import { type Coxswain, openCoxswain, reportFault } from './coxswain.ts';
import type { AppEnvironment } from './environment/environment.ts';
import { savePageAddress } from './environment/page-address.ts';
import { type MountedApi, type MountedPage, mountApi, mountPage } from './mount.ts';
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
    const page = await mountPage(environment, coxswain, guide);
    const api = mountApi(environment, coxswain, logger);
    const onFault = reportFault(coxswain, logger);
    const server = await serve(environment, { coxswain, page, api, onFault });
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

/** The address of the page, kept where its user finds it; a server that nobody can use is closed. */
async function savedAddress(
  page: MountedPage | undefined,
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

interface Served extends Pick<WebhookServerOptions, 'onFault'> {
  readonly coxswain: Coxswain;
  readonly page: MountedPage | undefined;
  readonly api: MountedApi;
}

function serve(
  { host, port, webhookSecret: secret, data }: AppEnvironment,
  { coxswain, page, api, onFault }: Served,
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

async function stop(
  server: WebhookServer,
  { coxswain, page, api }: Pick<Served, 'coxswain' | 'page' | 'api'>,
): Promise<void> {
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
