import { join } from 'node:path';
import {
  type Agents,
  adaptersWith,
  killOrphans,
  type NetworkKit,
  openAgents,
  openBaselines,
  probeSandbox,
  pruneWorkspaces,
  removeAside,
  type Sandbox,
} from '../agent/index.ts';
import { defined } from '../config/schema/schema-forms.ts';
import { configPath } from '../config/schema.ts';
import { RunIndex } from '../doors/lists/run-index.ts';
import { LocalEngine } from '../engine/local-engine.ts';
import { checkGit } from '../git/git-version.ts';
import type { Mirror } from '../git/mirror.ts';
import type { Delivery } from '../github/events/delivery.ts';
import type { Connection, Log } from '../github/octokit/connect.ts';
import { keyNamesOf } from '../network/model/providers.ts';
import { openSpending, type Spending } from '../network/spending/open-spending.ts';
import { pricesWith } from '../network/spending/prices.ts';
import { notifierOf } from '../notify/notifier.ts';
import { messageOf } from '../repository/faults.ts';
import { type FormerRuns, openFormerRuns } from '../repository/former-runs.ts';
import { GitHubClock } from '../repository/github-clock.ts';
import { OtherProcesses } from '../repository/other-processes.ts';
import { ProgressBoard } from '../repository/progress-board.ts';
import { StrangerLimit } from '../repository/stranger-limit.ts';
import type { LiveRuns } from '../runs/run/live-runs.ts';
import { proposeSetup } from '../runs/setup/propose-setup.ts';
import { openRuns } from '../runs/wiring.ts';
import { parseSealKeys } from '../seal/seal-keys.ts';
import { openSeals } from '../seal/seals.ts';
import type { Settings } from '../steering/shapes/settings.ts';
import { type AppSettings, allSecretsOf, machineSettings, operatorOf } from './environment/app-settings.ts';
import { pageUrlOf } from './environment/page-address.ts';
import { Installations, whoAmI } from './installations.ts';
import { type Instance, takeFolder } from './instance.ts';
import { KnownRepositories } from './known-repositories.ts';
import { Receiver } from './receiver.ts';
import { Sweeper } from './sweeper.ts';

/** Coxswain, ready to receive deliveries. */
export interface Coxswain {
  readonly installations: Installations;
  readonly liveRuns: LiveRuns;
  /** What lists of runs need, of every run. */
  readonly index: RunIndex;
  readonly receiver: Receiver;
  readonly sweeper: Sweeper;
  readonly sandbox: Sandbox;
  /** What agents are doing. */
  readonly progress: ProgressBoard;
  /** Releases the work in progress, records the remaining events, and unlocks the data folder. */
  close(): Promise<void>;
}

/** Opens everything except a listener, after checking Git, the sandbox, the data folder and GitHub. */
export async function openCoxswain(settings: AppSettings, log: Log): Promise<Coxswain> {
  await checkGit();
  const { data } = settings;
  const sandbox = await probeSandbox(settings.sandbox, machineSettings(settings));
  for (const note of [sandbox.note, sandbox.unbounded, rootNote()]) if (note !== null) log.warn(note);
  const instance = await takeFolder(data);
  try {
    const known = await KnownRepositories.open(data);
    const coxswain = assemble({ settings, log, sandbox, instance, known, clock: new GitHubClock() });
    await identify(coxswain, log);
    return coxswain;
  } catch (fault) {
    await instance.leave();
    throw fault;
  }
}

/**
 * Logs which delivery could not be recorded, without its payload, and schedules a sweep that retries it soon.
 */
export function reportFault(
  { sweeper }: Coxswain,
  log: Log,
): (fault: unknown, delivery: Pick<Delivery, 'id' | 'name'>) => void {
  return (fault, { id, name }) => {
    log.warn(`could not record ${name} ${id}: ${messageOf(fault)}`);
    sweeper.sweepSoon();
  };
}

/** Whatever gets out of a sandbox, or a fault of ours, is as powerful as the user that we are. */
function rootNote(): string | null {
  if (process.getuid?.() !== 0) return null;
  return 'Coxswain runs as root: better run it as a user of its own, without other rights';
}

/** What these checks found. */
interface Found {
  readonly settings: AppSettings;
  readonly log: Log;
  readonly sandbox: Sandbox;
  readonly instance: Instance;
  readonly known: KnownRepositories;
  readonly clock: GitHubClock;
}

function assemble(found: Found): Coxswain {
  const { settings, log, clock, instance, known, sandbox } = found;
  const { data, renderAfterMs, ledgerKey } = settings;
  const seals = openSeals(parseSealKeys(ledgerKey));
  killOrphans(workRoot(settings));
  const installations = new Installations({
    ...settings,
    log,
    onClient: (client: Connection) => clock.follow(client),
    onMirror: (mirror: Mirror) => tidyUp(mirror, settings, log),
  });
  const others = new OtherProcesses(clock);
  const progress = new ProgressBoard();
  const formerRuns = openFormerRuns(data, log, seals);
  const engine = engineOf(found, others, progress, formerRuns);
  const operator = operatorOf(settings);
  const secrets = allSecretsOf(settings);
  const keys = keyNamesOf(settings.providers);
  const proposing = { operator, modelKeys: keys, secrets, log, seals };
  const index = new RunIndex();
  const liveRuns = openRuns({
    ...{ presenter: 'app', data, operator, configPath, engine, clock, log },
    ...{ renderAfterMs, progress, formerRuns, notifier: notifierOf(settings.operatorFile.notify) },
    ...{
      seals,
      unknownKeys: new Map(),
      strangers: new StrangerLimit(),
      others,
      noteRun: async ({ id }) => {
        const home = installations.homeOf(id);
        if (home !== undefined) await known.add(home.name, home.installation);
      },
      onState: (repository, state) => index.note(repository, state),
      detailsUrl: (run) => pageUrlOf(run, settings),
      secrets,
      modelKeys: keys,
      proposeSetup: (wanted) => proposeSetup(wanted, proposing),
    },
  });
  const receiver = new Receiver(installations, liveRuns, index);
  const everyMs = settings.sweepEveryMs;
  const sweeping = { installations, liveRuns, index, receiver, engine, instance, known, clock, log, everyMs };
  const sweeper = new Sweeper(sweeping);
  // Work is released first, so that this is still recorded.
  const close = async () => {
    await sweeper.stop();
    receiver.close();
    await engine.stop();
    await liveRuns.close();
    await instance.leave();
  };
  return { installations, liveRuns, index, receiver, sweeper, sandbox, progress, close };
}

/** Asks GitHub which App this is, and logs missing permissions. */
async function identify({ installations, liveRuns }: Coxswain, log: Log): Promise<void> {
  const { slug, own, missing, hearsQueues } = await whoAmI(installations.app);
  installations.own = { ...own, seals: liveRuns.services.seals };
  if (!hearsQueues)
    log.info(`the App ${slug} does not hear of merge queues: for branches that have one, see doctor`);
  if (missing.length === 0) return;
  const where = 'grant it under "Permissions & events" in its settings';
  log.warn(`the App ${slug} lacks ${missing.join(', ')}: ${where}`);
}

function engineOf(
  { settings, log, clock, instance, sandbox }: Found,
  others: OtherProcesses,
  progress: ProgressBoard,
  formerRuns: FormerRuns,
): LocalEngine {
  const { agentEnvironment: environment } = settings;
  const secrets = allSecretsOf(settings);
  const spending = spendingOf(settings, log);
  const adapters = adaptersWith(agentsOf(settings, log));
  const baselines = openBaselines(join(settings.data, 'baselines'));
  const kit = { workRoot: workRoot(settings), sandbox, adapters, secrets, environment, baselines };
  const services = {
    ...{ log, clock, progress, formerRuns },
    nextHolder: () => instance.nextHolder(),
    hasOthers: () => others.present,
    holdQuestionsMs: settings.holdQuestionsMs,
    resources: async (mirror: Mirror, run: Settings) => ({
      ...{ ...kit, mirror, network: networkKit(settings, spending, run) },
    }),
  };
  return new LocalEngine(services, settings.concurrency);
}

function agentsOf({ data, operatorFile }: AppSettings, log: Log): Agents {
  const { install: mayInstall } = operatorFile;
  return openAgents({ cache: join(data, 'agents'), mayInstall, log: (text) => log.info(text) });
}

/** Removes what a killed App left behind; nobody waits until all of it is gone. */
async function tidyUp(mirror: Mirror, settings: AppSettings, log: Log): Promise<void> {
  const report = (problem: string) => log.warn(`${problem}; it is tried again later`);
  await pruneWorkspaces(mirror, workRoot(settings), report);
  void removeAside(workRoot(settings), report);
}

function workRoot({ data }: AppSettings): string {
  return join(data, 'work');
}

/** The records of what models cost, with the operator's prices and bounds. */
function spendingOf({ data, operatorFile }: AppSettings, log: Log): Spending {
  const { tokens, cost_usd: usd, ...others } = operatorFile.daily;
  others satisfies Readonly<Record<string, never>>;
  return openSpending(join(data, 'spending'), {
    prices: pricesWith(operatorFile.prices),
    perDay: defined({ tokens, usd }),
    onFault: (fault) => log.warn(`could not record what a model cost: ${messageOf(fault)}`),
  });
}

/**
 * What an attempt under these settings can be given access to. Tokens of registries are the operator's, and
 * without one no tool is set up: of the configuration's own registries only the names count.
 */
export function networkKit(
  { operatorFile, providers }: AppSettings,
  spending: Spending,
  { registries = [] }: Settings,
): NetworkKit {
  const known = operatorFile.registries;
  const more = registries.filter(({ host }) => !known.some((each) => each.host === host));
  return {
    registries: [...known, ...more.map(({ host }) => ({ host }))],
    privateHosts: operatorFile.privateHosts,
    providers,
    spending,
  };
}
