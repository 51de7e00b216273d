import { join } from 'node:path';
import {
  adapters,
  killOrphans,
  probeSandbox,
  pruneWorkspaces,
  type Sandbox,
  secretsIn,
} from '../agent/index.ts';
import { configPath } from '../config/schema.ts';
import { checkGit } from '../git/check.ts';
import type { Mirror } from '../git/mirror.ts';
import type { Connection, Log } from '../github/octokit/connect.ts';
import { GitHubClock } from '../runs/github-clock.ts';
import { LiveRuns } from '../runs/live-runs.ts';
import { LocalEngine } from '../runs/local-engine.ts';
import { Timers } from '../runs/timers.ts';
import { whoAmI } from './identity.ts';
import { Installations } from './installations.ts';
import { type Instance, takeFolder } from './instance.ts';
import { Receiver } from './receiver.ts';
import type { AppSettings } from './settings.ts';
import { Sweeper } from './sweeper.ts';

/** Coxswain, ready to be handed deliveries by whatever listens for them. */
export interface Coxswain {
  readonly installations: Installations;
  readonly liveRuns: LiveRuns;
  readonly receiver: Receiver;
  readonly sweeper: Sweeper;
  readonly sandbox: Sandbox;
  /** Gives back what is at work, records what was said, and leaves the data folder. */
  close(): Promise<void>;
}

/**
 * Opens everything but a way in. Nothing is opened before Git, sandbox, folder and GitHub were found to be
 * there.
 */
export async function openCoxswain(settings: AppSettings, log: Log): Promise<Coxswain> {
  await checkGit();
  const { data, keyFiles } = settings;
  const sandbox = await probeSandbox(settings.sandbox, { hidden: [data, ...keyFiles] });
  if (sandbox.note !== null) log.warn(sandbox.note);
  const instance = await takeFolder(data);
  try {
    const coxswain = assemble({ settings, log, sandbox, instance, clock: new GitHubClock() });
    await identify(coxswain, log);
    return coxswain;
  } catch (fault) {
    await instance.leave();
    throw fault;
  }
}

/** What was found to be there. */
interface Found {
  readonly settings: AppSettings;
  readonly log: Log;
  readonly sandbox: Sandbox;
  readonly instance: Instance;
  readonly clock: GitHubClock;
}

function assemble(found: Found): Coxswain {
  const { settings, log, clock, instance, sandbox } = found;
  const { data, drawAfterMs } = settings;
  killOrphans(workRoot(settings));
  const installations = new Installations({
    ...settings,
    log,
    onClient: (client: Connection) => clock.follow(client),
    // What an App that was killed left at work is cleared away.
    onMirror: (mirror: Mirror) => pruneWorkspaces(mirror, workRoot(settings)),
  });
  const engine = engineOf(found);
  const timers = new Timers({ clock, log });
  const operator = { bounds: { sandbox: settings.sandbox } };
  const liveRuns = new LiveRuns({
    ...{ presenter: 'app', data, operator, configPath, engine, timers, clock, log, drawAfterMs },
  });
  const receiver = new Receiver(installations, liveRuns);
  const everyMs = settings.sweepEveryMs;
  const sweeper = new Sweeper({ installations, liveRuns, receiver, instance, clock, log, everyMs });
  // First what is at work is given back, then all of it is recorded.
  const close = async () => {
    await sweeper.stop();
    timers.stop();
    await engine.stop();
    await liveRuns.close();
    await instance.leave();
  };
  return { installations, liveRuns, receiver, sweeper, sandbox, close };
}

/** Asks GitHub who we are, and says which permissions are missing. */
async function identify({ installations }: Coxswain, log: Log): Promise<void> {
  const { slug, login, missing } = await whoAmI(installations.app);
  installations.own = { login };
  if (missing.length === 0) return;
  const where = 'grant it under "Permissions & events" in its settings';
  log.warn(`the App ${slug} lacks ${missing.join(', ')}: ${where}`);
}

function engineOf({ settings, log, clock, instance, sandbox }: Found): LocalEngine {
  const { agentEnvironment: environment, privateKey } = settings;
  const secrets = [privateKey, ...settings.secrets, ...secretsIn(environment)];
  const kit = { workRoot: workRoot(settings), sandbox, adapters, secrets, environment };
  const nextHolder = () => instance.nextHolder();
  return new LocalEngine(
    { log, clock, nextHolder, resources: (mirror) => ({ ...kit, mirror }) },
    settings.concurrency,
  );
}

function workRoot({ data }: AppSettings): string {
  return join(data, 'work');
}
