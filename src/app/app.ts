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
import { type Doors, mountDoors } from './doors.ts';
import type { AppEnvironment } from './environment/environment.ts';
import { secretsOfAccess } from './environment/page-access.ts';
import { savePageAddress } from './environment/page-address.ts';
import { startWebhookServer, type WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

export interface App {
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  /** The address of the page, perhaps with its key: not for a log. Null if there is no page. */
  readonly pageUrl: string | null;
  /** The file that contains this address; null if it has no key. */
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
    const doors = mountDoors(environment, { coxswain, log: logger, guide });
    const server = await serve(environment, { coxswain, doors }, reportFault(coxswain, logger));
    doors.at(server.url);
    const saved = await savedAddress(doors, server, environment.data);
    coxswain.sweeper.start();
    const end = () => stop(server, { coxswain, doors });
    const { admits } = doors;
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
  { pageUrl, hasKey, close }: Doors,
  server: WebhookServer,
  data: string,
): Promise<Pick<App, 'pageUrl' | 'pageFile'>> {
  if (pageUrl === null || !hasKey) return { pageUrl, pageFile: null };
  try {
    return { pageUrl, pageFile: await savePageAddress(data, pageUrl) };
  } catch (fault) {
    await close();
    await server.close();
    throw fault;
  }
}

interface Served {
  readonly coxswain: Coxswain;
  readonly doors: Doors;
}

function serve(
  { host, port, webhookSecret: secret, data }: AppEnvironment,
  { coxswain, doors }: Served,
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
    other: (request, response) => doors.handle(request, response),
  });
}

/** Keys that other processes have and this one has not, with the number of runs that wait for them. */
function warningAbout({ liveRuns }: Coxswain): { readonly unknown_ledger_keys?: object } {
  const counts: Record<string, number> = {};
  for (const key of liveRuns.services.unknownKeys.values()) counts[key] = (counts[key] ?? 0) + 1;
  return Object.keys(counts).length === 0 ? {} : { unknown_ledger_keys: counts };
}

function secretsOf(environment: AppEnvironment): readonly string[] {
  const { secrets, webhookSecret } = environment;
  return [...secrets, webhookSecret, ...secretsOfAccess(environment)];
}

async function stop(server: WebhookServer, { coxswain, doors }: Served): Promise<void> {
  await Promise.all([doors.close(), server.close()]);
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
