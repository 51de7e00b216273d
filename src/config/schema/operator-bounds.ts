import {
  type LimitName,
  type Limits,
  limitNames,
  type ReviewLimit,
  reviewLimits,
} from '../../steering/shapes/limits.ts';
import type {
  AgentChoice,
  NetworkSettings,
  NotifyRule,
  Reach,
  RegistrySettings,
  SandboxMode,
  Settings,
  Use,
} from '../../steering/shapes/settings.ts';
import type { Path } from './config-problem.ts';
import { coversHost, isHost, registryName } from './hosts.ts';

/** What the operator of an App allows on this host; absent means no limit. */
export interface Bounds {
  /** Globs of the repositories that may have runs. */
  readonly repositories?: readonly string[];
  readonly agents?: readonly AgentChoice['use'][];
  /** The commands, each with all its arguments, that `agent.command` may be. */
  readonly commands?: readonly (readonly string[])[];
  /** A repository may ask for this sandbox mode or a stricter one. */
  readonly sandbox?: SandboxMode;
  /** The words and hosts, also as globs, that repositories may allow their programs. */
  readonly network?: NetworkSettings;
  /** The only registries whose tokens a repository may name. */
  readonly registries?: readonly KnownRegistry[];
  /** Names of gate rules that no repository may switch off. */
  readonly gates?: readonly string[];
  /** The targets that a repository may name under `notify`; null: it names them in vain. */
  readonly notify?: readonly string[] | null;
  /** The maxima, which also hold where a repository sets no limit. */
  readonly limits?: Partial<Limits> & { readonly [L in ReviewLimit]?: number };
}

type KnownRegistry = Pick<RegistrySettings, 'host' | 'token_env'>;

/** What a repository may not set, and the bound that says so. */
export interface Violation {
  /** It is below the key; without one, the key itself is meant. */
  readonly path?: Path;
  /** It names the bound as it is written in the operator's file. */
  readonly bound: string;
  readonly allowed: string;
  /** A value that is within the bound, if one is obvious. */
  readonly example?: unknown;
}

/** Keys that the operator bounds are judged by these. */
export interface Bounding {
  readonly bounds: Bounds;
  readonly settings: Settings;
}

/** What the operator bounds of a key, which says so in its metadata. */
export interface OperatorBound {
  /** Says what is too much of what is written, which the schema has accepted. */
  beyond(asked: unknown, by: Bounding): readonly Violation[];
}

type AskedAgent = Pick<AgentChoice, 'use'> & {
  readonly command?: readonly string[];
  readonly mcp?: readonly { readonly command: readonly string[] }[];
};

/** An agent: what it is called, and which programs are started for it. */
export function agentBeyond(asked: AskedAgent, { agents, commands }: Bounds): readonly Violation[] {
  const listed = commands?.map((command) => JSON.stringify(command));
  const allowed = listed?.join(' or ') || 'no command at all';
  const own = asked.command === undefined ? [] : [{ path: ['command'], command: asked.command }];
  const servers =
    asked.mcp?.map(({ command }, index) => ({ path: ['mcp', index, 'command'], command })) ?? [];
  const violations: Violation[] = [...own, ...servers]
    .filter(({ command }) => listed?.includes(JSON.stringify(command)) === false)
    .map(({ path }) => ({ path, bound: 'commands', allowed }));
  if (agents === undefined || agents.includes(asked.use)) return violations;
  return [
    { path: ['use'], bound: 'agents', allowed: agents.join(' or ') || 'no agent at all' },
    ...violations,
  ];
}

export const boundAgent: OperatorBound = {
  beyond: (asked: AskedAgent, { bounds }) => agentBeyond(asked, bounds),
};

export const boundSandbox: OperatorBound = {
  beyond(asked: SandboxMode, { bounds: { sandbox } }) {
    if (stricter(asked, sandbox) === asked) return [];
    const allowed = sandbox === 'required' ? 'required' : `${sandbox} or stricter`;
    return [{ bound: 'sandbox, or COXSWAIN_SANDBOX of the App', allowed, example: sandbox }];
  },
};

export const boundRule: OperatorBound = {
  beyond(rule: string, { bounds: { gates = [] } }) {
    const allowed = `no rule that the operator demands, such as ${rule}`;
    return gates.includes(rule) ? [{ bound: 'gates', allowed }] : [];
  },
};

export function boundLimit(name: LimitName | ReviewLimit): OperatorBound {
  return {
    beyond(asked: number, { bounds: { limits: { [name]: most = Infinity } = {} } }) {
      return asked <= most ? [] : [{ bound: `limits.${name}`, allowed: `at most ${most}`, example: most }];
    },
  };
}

export function boundReach(use: Use): OperatorBound {
  return { beyond: (asked, { bounds: { network } }) => reachBeyond(asked, use, network) };
}

/** Judges a word, or each entry of a list. */
export function reachBeyond(asked: unknown, use: Use, network?: NetworkSettings): readonly Violation[] {
  if (network === undefined) return [];
  const listed = Array.isArray(asked) ? asked.map((entry, index) => ({ entry, path: [index] })) : undefined;
  return (listed ?? [{ entry: asked, path: [] }])
    .map(({ entry, path }) => ({ entry: String(entry).toLowerCase(), path }))
    .filter(({ entry }) => entry !== 'none' && !isWithin(network[use], entry))
    .map(({ path }) => ({ path, bound: `network.${use}`, allowed: allowedBy(network[use]) }));
}

/**
 * A token goes only to the host that the operator has named beside it, and the word `registries` opens no
 * other host than the operator would.
 */
export const boundRegistry: OperatorBound = {
  beyond({ host: written, token_env }: RegistrySettings, { bounds, settings }) {
    const { registries: known, network } = bounds;
    const host = registryName(written);
    const listed = known?.filter((each) => each.host === host) ?? [];
    const isKnown = listed.some((each) => each.token_env === token_env);
    if (token_env !== undefined && known !== undefined && !isKnown)
      return [{ path: ['token_env'], bound: 'registries', allowed: allowedFor(host, known) }];
    if (network === undefined || listed.length > 0) return [];
    const isClosed = (use: Use) =>
      settings.network[use].includes('registries') && !isWithin(network[use], host);
    const closed = uses.find(isClosed);
    return closed === undefined
      ? []
      : [{ path: ['host'], bound: `network.${closed}`, allowed: 'no such host' }];
  },
};

function allowedFor(host: string, known: readonly KnownRegistry[]): string {
  const token = known.find((each) => each.host === host)?.token_env;
  return token === undefined ? `no token for ${host}` : `${token} for ${host}`;
}

export const boundTarget: OperatorBound = {
  beyond({ to }: NotifyRule, { bounds: { notify: known } }) {
    if (known === undefined || known === null || known.includes(to)) return [];
    return [
      { path: ['to'], bound: 'notify', allowed: known.join(' or ') || 'no target, as the operator has none' },
    ];
  },
};

/** `open` includes the models, the public registries and every host. */
export function isWithin(bound: Reach, entry: string): boolean {
  if (bound.includes(entry)) return true;
  if (entry === 'model' || entry === 'registries') return bound.includes('open');
  return isHost(entry) && bound.some((wide) => wide === 'open' || (isHost(wide) && coversHost(wide, entry)));
}

/** The words and hosts of a bound, for people to choose from. */
export function allowedBy(bound: Reach): string {
  return bound.length === 0 ? 'none' : [...bound, 'none'].join(', ');
}

/** Where the repository sets nothing, the operator's bound replaces our default. */
export function within(bounds: Bounds, { notify, ...settings }: Settings): Settings {
  return {
    ...settings,
    ...(notify !== undefined && bounds.notify !== null && { notify }),
    sandbox: stricter(settings.sandbox, bounds.sandbox),
    limits: { ...settings.limits, ...leastOf(limitNames, bounds, settings.limits) },
    ...leastOf(reviewLimits, bounds, settings),
    ...mostOf(bounds),
    network: networkWithin(bounds.network, settings.network),
  };
}

/** Each that the operator bounds: what is asked for, or the bound where that is less. */
function leastOf<Name extends LimitName | ReviewLimit>(
  names: readonly Name[],
  { limits = {} }: Bounds,
  asked: { readonly [N in Name]?: number },
) {
  const bounded = names.flatMap((key) => {
    const most = limits[key];
    return most === undefined ? [] : [[key, Math.min(asked[key] ?? Infinity, most)] as const];
  });
  return Object.fromEntries(bounded);
}

/** People raise the limits of a run, and are advised to list hosts, up to the operator's bound. */
function mostOf({ limits = {}, network }: Bounds): Pick<Settings, 'most'> {
  // Where every bound is open, each host may be listed.
  const isBound = network !== undefined && uses.some((use) => !network[use].includes('open'));
  const { open_runs: _, diff_lines: __, ...raised } = limits;
  const most = { ...raised, ...(isBound && { network }) };
  return Object.keys(most).length === 0 ? {} : { most };
}

/** The reaches without what the bound does not have. */
export function networkWithin(bound: NetworkSettings | undefined, asked: NetworkSettings): NetworkSettings {
  if (bound === undefined) return asked;
  return {
    setup: asked.setup.filter((entry) => isWithin(bound.setup, entry)),
    agent: asked.agent.filter((entry) => isWithin(bound.agent, entry)),
    verifiers: asked.verifiers.filter((entry) => isWithin(bound.verifiers, entry)),
  };
}

const weakestFirst: readonly SandboxMode[] = ['off', 'preferred', 'required'];

export function stricter(asked: SandboxMode, bound: SandboxMode = 'off'): SandboxMode {
  return weakestFirst.indexOf(bound) > weakestFirst.indexOf(asked) ? bound : asked;
}

/** They are in the order in which an attempt runs them. */
export const uses: readonly Use[] = ['setup', 'agent', 'verifiers'];
