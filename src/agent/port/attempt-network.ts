import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { type Egress, openEgress } from '../../network/egress.ts';
import { modelEndpoint, type ProviderFault } from '../../network/model/endpoint.ts';
import { modelEnvironment, type Provider } from '../../network/model/providers.ts';
import type { Registry } from '../../network/registries/registry.ts';
import type { Budget, Exhausted, Limits, Spent } from '../../network/spending/model-budget.ts';
import type { Spending } from '../../network/spending/open-spending.ts';
import { runProcessGroup } from '../../process/process-group.ts';
import { profileNamed } from '../../profiles/index.ts';
import { spentBefore } from '../../steering/iterations/spending.ts';
import type { BlockedHost } from '../../steering/shapes/attempt-result.ts';
import type { Limits as RunLimits } from '../../steering/shapes/limits.ts';
import type { NetworkSettings, Reach, Use } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { searchPath, toolPath } from '../process/program-environment.ts';
import { type AttemptFolders, foldersSeen } from '../sandbox/folders.ts';

/** What attempts can be given access to, as the operator says. */
export interface NetworkKit {
  readonly registries: readonly Registry[];
  /** Hosts that may lead to private addresses. */
  readonly privateHosts: readonly string[];
  readonly providers: readonly Provider[];
  /** Where requests to models are counted; null: none are sent. */
  readonly spending: Spending | null;
}

/** The public registries, and nothing of an operator. */
export const usualKit: NetworkKit = { registries: [], privateHosts: [], providers: [], spending: null };

interface NetworkOptions {
  readonly state: State;
  /** The limits of the run, as they are now. */
  limits(): RunLimits;
  readonly kit: NetworkKit;
  readonly folders: AttemptFolders;
  /** Without a sandbox nothing can be kept from the network: egresses then only serve what is ours. */
  readonly sandboxed: boolean;
}

/** The network of one attempt: an egress for each use, outside of which there is nothing. */
export interface AttemptNetwork {
  /** Null: the programs of this use have the network of the machine. */
  egress(use: Use): Egress | null;
  /** Variables by which the agent finds its models. */
  readonly modelVariables: Readonly<Record<string, string>>;
  /** What people should know about it. */
  readonly notices: readonly string[];
  /** What the programs were refused since the last call. */
  takeBlocked(): readonly BlockedHost[];
  /** What the attempt has spent on models; null if it could not send requests. */
  spent(): Spent | null;
  /** What the attempt has spent once its programs have ended, with the requests that they left under way. */
  spentAtEnd(): Spent | null;
  /** The budget that refused a request to a model; null if none did. */
  exhausted(): Exhausted | null;
  /** Called when a budget refuses a request: again if it was raised in the meantime. */
  onExhausted(listener: () => void): void;
  /** When a model that has no more for now answers again, ISO 8601; null if none has said so. */
  limitedUntil(): string | null;
  /** Called when a model has no more for now. */
  onLimited(listener: () => void): void;
  /** What was wrong with the newest answer of a model; null if nothing was. */
  modelFault(): ProviderFault | null;
  /** Called when a provider refuses our key: the agent would only ask again. */
  onKeyRefused(listener: () => void): void;
  close(): Promise<void>;
}

const uses: readonly Use[] = ['setup', 'agent', 'verifiers'];

/** Opens the egresses, and writes what tools look for into the home folder, which nobody has touched yet. */
export async function openNetwork(options: NetworkOptions): Promise<AttemptNetwork> {
  const { folders, sandboxed } = options;
  const { network: settings } = options.state.settings;
  const models = modelsOf(options);
  const egresses = new Map<Use, Egress>();
  const close = async () => void (await Promise.all([...egresses.values()].map((egress) => egress.close())));
  try {
    for (const use of uses)
      if (!sandboxed || !hasMachineNetwork(use, settings[use]))
        egresses.set(use, await openEgress(egressOptions(use, options, models?.listener)));
    // Where they differ, because nothing shares a network, those of the first use count.
    for (const egress of [...egresses.values()].reverse()) await writeHome(folders.home, egress.homeFiles);
    const notice = sandboxed ? await nodeNotice(settings) : null;
    return {
      notices: notice === null ? [] : [notice],
      egress: (use) => egresses.get(use) ?? null,
      ...accountOf(models, egresses.get('agent')?.origin ?? ''),
      takeBlocked: () =>
        [...egresses].flatMap(([use, egress]) =>
          egress.takeBlocked().map((blocked) => ({ ...blocked, use })),
        ),
      close,
    };
  } catch (fault) {
    await close();
    throw fault;
  }
}

/** Agents and setup commands never have it, whatever their settings say. */
function hasMachineNetwork(use: Use, reach: Reach): boolean {
  return use === 'verifiers' && reach.includes('host');
}

function accountOf(models: Models | null, origin: string) {
  return {
    modelVariables: models?.variables(origin) ?? {},
    spent: () => models?.budget.spent() ?? null,
    spentAtEnd: () => models?.budget.spentAtEnd() ?? null,
    exhausted: () => models?.exhausted() ?? null,
    onExhausted: (listener: () => void) => void models?.refusals.on('refused', listener),
    limitedUntil: () => models?.limitedUntil() ?? null,
    onLimited: (listener: () => void) => void models?.refusals.on('limited', listener),
    modelFault: () => models?.fault() ?? null,
    onKeyRefused: (listener: () => void) => void models?.refusals.on('key', listener),
  };
}

function egressOptions(use: Use, options: NetworkOptions, models: RequestListener | undefined) {
  const { state, kit, folders, sandboxed } = options;
  const { registries, privateHosts, providers } = kit;
  return {
    use,
    reach: state.settings.network[use],
    loopback: !sandboxed,
    folder: folders.sockets,
    home: foldersSeen(options).home,
    registries,
    privateHosts,
    modelHosts: providers.map(({ host }) => host),
    ...(use === 'agent' && models !== undefined && { models }),
  };
}

interface Models {
  readonly listener: RequestListener;
  readonly budget: Budget;
  variables(origin: string): Readonly<Record<string, string>>;
  exhausted(): Exhausted | null;
  limitedUntil(): string | null;
  fault(): ProviderFault | null;
  readonly refusals: Refusals;
}

/** An agent waits for less than that by itself. */
const tooLongMs = 60_000;

type Refusals = EventEmitter<{ refused: []; limited: []; key: [] }>;

/** An agent that is known by name spends the keys of its own models only. */
function providersFor({ agent }: State['settings'], all: readonly Provider[]): readonly Provider[] {
  const keys = profileNamed(agent.use)?.keys;
  if (keys === undefined) return all;
  return all.filter(({ added, variables: { key } }) => added || (key !== undefined && keys.includes(key)));
}

/** Null if there is nobody to send requests to, or the agent may reach nothing. */
function modelsOf({ state, limits, kit }: NetworkOptions): Models | null {
  const { spending } = kit;
  const providers = providersFor(state.settings, kit.providers);
  const { agent: reach } = state.settings.network;
  if (spending === null || providers.length === 0 || reach.length === 0) return null;
  let exhausted: Exhausted | null = null;
  let until = 0;
  let fault: ProviderFault | null = null;
  const refusals: Refusals = new EventEmitter();
  const budget = spending.budget({
    run: `${state.run.repository_id}#${state.run.number} ${state.started_at}`,
    limits: () => moneyAndTokens(limits()),
    before: spentBefore(state),
    onExhausted: (what) => {
      exhausted = what;
      refusals.emit('refused');
    },
  });
  const dummyKey = `coxswain-${randomBytes(24).toString('hex')}`;
  return {
    listener: modelEndpoint({
      providers,
      dummyKey,
      budget,
      providerTools: reach.includes('open'),
      onAnswer: (newest) => {
        fault = newest;
        const { until: named = 0 } = newest ?? {};
        if (named - Date.now() >= tooLongMs) {
          until = Math.max(until, named);
          refusals.emit('limited');
        }
        if (newest?.status === 401 || newest?.status === 403) refusals.emit('key');
      },
    }),
    budget,
    variables: (origin) => modelEnvironment(providers, { origin, dummyKey }),
    exhausted: () => (exhausted !== null && isRaised(exhausted, moneyAndTokens(limits())) ? null : exhausted),
    limitedUntil: () => {
      const newest = Math.max(until, fault?.until ?? 0);
      return newest === 0 ? null : new Date(newest).toISOString();
    },
    fault: () => fault,
    refusals,
  };
}

/** Whether people have raised the limit since. */
function isRaised({ of, unit, limit }: Exhausted, now: Limits): boolean {
  return of === 'run' && (now[unit] ?? Number.POSITIVE_INFINITY) > limit;
}

/** What requests to models count towards. The clock and the host hold the others; none is held by nobody. */
function moneyAndTokens(limits: RunLimits): Limits {
  const { tokens, cost_usd: usd, minutes: _clock, tool_calls: _host, ...others } = limits;
  others satisfies Readonly<Record<string, never>>;
  return { ...(tokens !== undefined && { tokens }), ...(usd !== undefined && { usd }) };
}

async function writeHome(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/**
 * What to say about programs of Node.js that may reach hosts and will not: before 22.21, and in 23, Node does
 * not use a proxy by itself, as package managers do
 * (https://nodejs.org/api/cli.html#node_use_env_proxy1). Null if there is nothing to say.
 */
async function nodeNotice(network: NetworkSettings): Promise<string | null> {
  const uses = Object.entries(network).filter(([, reach]: [string, Reach]) => reach.some(isHost));
  if (uses.length === 0) return null;
  const keys = uses.map(([use]) => `\`network.${use}\``);
  const found = await nodeWithoutProxy();
  if (found === null) return null;
  return (
    `\`fetch\` of Node.js ${found} cannot reach the hosts that ${keys.join(' and ')} ${keys.length > 1 ? 'allow' : 'allows'}: ` +
    'use Node.js 22.21 or 24, which know the proxy of the sandbox.'
  );
}

/** The version of the Node.js that programs find, if it does not use a proxy by itself; else null. */
export async function nodeWithoutProxy(): Promise<string | null> {
  version ??= await versionOnPath();
  return version === null || usesProxies(version) ? null : version;
}

/** Null until one was found: it may be installed while we run. */
let version: string | null = null;

/** The words are not for programs that people write. */
function isHost(entry: string): boolean {
  return entry === 'open' || !['registries', 'model', 'host'].includes(entry);
}

/** Whether a Node.js that prints such a version, as `v20.20.2`, uses proxies by itself. */
function usesProxies(text: string): boolean {
  const [major = 0, minor = 0] = text.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 21);
}

/** Null if programs find no Node.js. */
async function versionOnPath(): Promise<string | null> {
  let said = '';
  await runProcessGroup(['node', '--version'], {
    env: { PATH: toolPath() || searchPath() },
    timeoutMs: 10_000,
    onStdout: (chunk) => (said += chunk.toString()),
    onStderr: () => undefined,
  });
  return /^v(\d+\.\d+\.\d+)/.exec(said)?.[1] ?? null;
}
