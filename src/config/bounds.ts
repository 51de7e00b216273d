import { type Limits, limitNames } from '../steering/limits.ts';
import type { AgentChoice, NetworkSettings, SandboxMode, Settings } from '../steering/settings.ts';
import { valueAt } from './json-schema.ts';
import { isWithin, networkViolations, networkWithin, type Violation } from './network-bounds.ts';
import type { Path, Problem } from './problem.ts';
import { exampleOf, problemAt, type Reading } from './problems.ts';
import { uses } from './schema/network.ts';

/** What the operator of an App allows on this host; absent means no limit. */
export interface Bounds {
  /** Globs of the repositories that may have runs. */
  readonly repositories?: readonly string[];
  /** Values of `agent.use`. */
  readonly agents?: readonly AgentChoice['use'][];
  /** The commands, each with all its arguments, that `agent.command` may be. */
  readonly commands?: readonly (readonly string[])[];
  /** The weakest sandbox mode allowed. */
  readonly sandbox?: SandboxMode;
  /** The words and hosts, also as globs, that repositories may allow their programs. */
  readonly network?: NetworkSettings;
  /** The only registries whose tokens a repository may name. */
  readonly registries?: readonly KnownRegistry[];
  /** Names of gate rules that no repository may switch off. */
  readonly gates?: readonly string[];
  /** The maxima, which also hold where a repository sets no limit. */
  readonly limits?: Partial<Limits>;
}

/** The values of a repository's configuration that exceed the operator's bounds. */
export function beyond(bounds: Bounds, settings: Settings, reading: Reading): Problem[] {
  const violations = [
    ...agentViolations(bounds, { agent: settings.agent, path: ['agent'] }),
    ...sandboxViolations(bounds, settings.sandbox),
    ...limitViolations(bounds, settings.limits),
    ...networkViolations(bounds.network, reading.document),
    ...registryViolations(bounds, settings),
    ...gateViolations(bounds, settings),
  ];
  return problemsOf(violations, reading);
}

/** The same of one agent at its place in the file. */
export function agentBeyond(bounds: Bounds, placed: PlacedAgent, reading: Reading): Problem[] {
  return problemsOf(agentViolations(bounds, placed), reading);
}

function problemsOf(violations: readonly Violation[], reading: Reading): Problem[] {
  return violations.flatMap((violation) => {
    // A default gives way to the bound, and the operator's own default agent is always allowed.
    if (valueAt(reading.document, violation.path) === undefined) return [];
    const expected = `${violation.allowed} (the operator's bound ${violation.bound})`;
    const problem = problemAt(violation.path, expected, reading);
    const { example } = violation;
    return [example === undefined ? problem : { ...problem, example: exampleOf(violation.path, example) }];
  });
}

/** Where the repository sets nothing, the operator's bound replaces our default. */
export function within(bounds: Bounds, settings: Settings): Settings {
  return {
    ...settings,
    sandbox: stricter(settings.sandbox, bounds.sandbox),
    limits: limitsWithin(bounds, settings.limits),
    ...mostOf(bounds),
    network: networkWithin(bounds.network, settings.network),
  };
}

/** An agent and where it is written. */
interface PlacedAgent {
  readonly agent: AgentChoice;
  readonly path: Path;
}

function agentViolations(bounds: Bounds, { agent, path }: PlacedAgent): readonly Violation[] {
  const { agents } = bounds;
  const commands = commandViolations(bounds, { agent, path });
  if (agents === undefined || agents.includes(agent.use)) return commands;
  const allowed = agents.length === 0 ? 'no agent at all' : agents.join(' or ');
  return [{ path: [...path, 'use'], bound: 'agents', allowed }, ...commands];
}

function commandViolations({ commands }: Bounds, { agent, path }: PlacedAgent): readonly Violation[] {
  if (commands === undefined || 'script' in agent) return [];
  const listed = commands.map((command) => JSON.stringify(command));
  const allowed = listed.length === 0 ? 'no command at all' : listed.join(' or ');
  return commandsOf(agent)
    .filter(({ command }) => !listed.includes(JSON.stringify(command)))
    .map(({ path: below }) => ({ path: [...path, ...below], bound: 'commands', allowed }));
}

interface AskedCommand {
  readonly path: Path;
  readonly command: readonly string[];
}

function commandsOf(agent: Exclude<AgentChoice, { use: 'scripted' }>): readonly AskedCommand[] {
  const own = agent.command === undefined ? [] : [{ path: ['command'], command: agent.command }];
  const servers = ('mcp' in agent ? (agent.mcp ?? []) : []).map(({ command }, index) => {
    return { path: ['mcp', index, 'command'], command };
  });
  return [...own, ...servers];
}

function sandboxViolations({ sandbox }: Bounds, asked: SandboxMode): readonly Violation[] {
  if (stricter(asked, sandbox) === asked) return [];
  const allowed = sandbox === 'required' ? 'required' : `${sandbox} or stricter`;
  const bound = 'sandbox, or COXSWAIN_SANDBOX of the App';
  return [{ path: ['sandbox'], bound, allowed, example: sandbox }];
}

function gateViolations({ gates = [] }: Bounds, { gates: asked }: Settings): readonly Violation[] {
  return (asked?.off ?? []).flatMap(({ rule }, index) => {
    if (!gates.includes(rule)) return [];
    const allowed = `no rule that the operator demands, such as ${rule}`;
    return [{ path: ['gates', 'off', index, 'rule'], bound: 'gates', allowed }];
  });
}

function limitViolations({ limits = {} }: Bounds, asked: Limits): readonly Violation[] {
  return limitNames.flatMap((key) => {
    const most = limits[key];
    if (most === undefined || (asked[key] ?? 0) <= most) return [];
    const path = ['limits', key];
    return [{ path, bound: `limits.${key}`, allowed: `at most ${most}`, example: most }];
  });
}

/** Without a limit of its own, a repository has that of the bound. */
function limitsWithin({ limits = {} }: Bounds, asked: Limits): Limits {
  const bounded = limitNames.flatMap((key) => {
    const most = limits[key];
    return most === undefined ? [] : [[key, Math.min(asked[key] ?? Infinity, most)] as const];
  });
  return { ...asked, ...Object.fromEntries(bounded) };
}

/** People raise the limits of a run, and are advised to list hosts, up to the operator's bound. */
function mostOf({ limits = {}, network }: Bounds): Pick<Settings, 'most'> {
  // Where every bound is open, each host may be listed.
  const isBound = network !== undefined && uses.some((use) => !network[use].includes('open'));
  const most = { ...limits, ...(isBound && { network }) };
  return Object.keys(most).length === 0 ? {} : { most };
}

const weakestFirst: readonly SandboxMode[] = ['off', 'preferred', 'required'];

/** The stricter of two modes. */
export function stricter(asked: SandboxMode, bound: SandboxMode = 'off'): SandboxMode {
  return weakestFirst.indexOf(bound) > weakestFirst.indexOf(asked) ? bound : asked;
}

/** A registry of the operator's, and the variable with its token. */
interface KnownRegistry {
  readonly host: string;
  readonly token_env?: string;
}

/** What the operator says about registries. */
interface RegistryBounds {
  readonly registries?: readonly KnownRegistry[];
  readonly network?: NetworkSettings;
}

/**
 * A token goes only to the host that the operator has named beside it, and the word `registries` opens no
 * other host than the operator would.
 */
function registryViolations(
  { registries: known, network: bound }: RegistryBounds,
  { registries: asked = [], network }: Settings,
): Violation[] {
  return asked.flatMap(({ host, token_env }, index): Violation[] => {
    const listed = known?.filter((each) => each.host === host) ?? [];
    const isKnown = listed.some((each) => each.token_env === token_env);
    if (token_env !== undefined && known !== undefined && !isKnown)
      return [
        { path: ['registries', index, 'token_env'], bound: 'registries', allowed: allowedFor(host, known) },
      ];
    if (bound === undefined || listed.length > 0) return [];
    const closed = uses.find((use) => network[use].includes('registries') && !isWithin(bound[use], host));
    if (closed === undefined) return [];
    return [{ path: ['registries', index, 'host'], bound: `network.${closed}`, allowed: 'no such host' }];
  });
}

function allowedFor(host: string, known: readonly KnownRegistry[]): string {
  const token = known.find((each) => each.host === host)?.token_env;
  return token === undefined ? `no token for ${host}` : `${token} for ${host}`;
}
