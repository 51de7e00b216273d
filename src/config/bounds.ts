import type { AgentChoice, SandboxMode, Settings } from '../steering/settings.ts';
import { valueAt } from './json-schema.ts';
import type { Path, Problem } from './problem.ts';
import { problemAt, type Reading } from './problems.ts';

/** What the operator of an App allows on this host; absent means no limit. */
export interface Bounds {
  /** Values of `agent.use`. */
  readonly agents?: readonly AgentChoice['use'][];
  /** The commands, each with all its arguments, that `agent.command` may be. */
  readonly commands?: readonly (readonly string[])[];
  /** The weakest sandbox mode allowed. */
  readonly sandbox?: SandboxMode;
  /** The maximum of `limits.minutes`. */
  readonly max_minutes?: number;
}

/** The values of a repository's configuration that exceed the operator's bounds. */
export function beyond(bounds: Bounds, settings: Settings, reading: Reading): Problem[] {
  const violations = [
    agentViolation(bounds, settings.agent),
    commandViolation(bounds, settings.agent),
    sandboxViolation(bounds, settings.sandbox),
    minutesViolation(bounds, settings.limits.minutes),
  ];
  return violations.flatMap((violation) => {
    // A default gives way to the bound, and the operator's own default agent is always allowed.
    if (violation === undefined || valueAt(reading.document, violation.path) === undefined) return [];
    const expected = `${violation.allowed} (the operator's bound ${violation.bound})`;
    return [problemAt(violation.path, expected, reading)];
  });
}

/** Where the repository sets nothing, the operator's bound replaces our default. */
export function within(bounds: Bounds, settings: Settings): Settings {
  const minutes = Math.min(settings.limits.minutes, bounds.max_minutes ?? Infinity);
  return { ...settings, sandbox: stricter(settings.sandbox, bounds.sandbox), limits: { minutes } };
}

interface Violation {
  readonly path: Path;
  readonly bound: keyof Bounds;
  readonly allowed: string;
}

function agentViolation({ agents }: Bounds, { use }: AgentChoice): Violation | undefined {
  if (agents === undefined || agents.includes(use)) return undefined;
  const allowed = agents.length === 0 ? 'no agent at all' : agents.join(' or ');
  return { path: ['agent', 'use'], bound: 'agents', allowed };
}

function commandViolation({ commands }: Bounds, agent: AgentChoice): Violation | undefined {
  if (commands === undefined || agent.use !== 'command') return undefined;
  const asked = JSON.stringify(agent.command);
  const listed = commands.map((command) => JSON.stringify(command));
  if (listed.includes(asked)) return undefined;
  const allowed = listed.length === 0 ? 'no command at all' : listed.join(' or ');
  return { path: ['agent', 'command'], bound: 'commands', allowed };
}

function sandboxViolation({ sandbox }: Bounds, asked: SandboxMode): Violation | undefined {
  if (stricter(asked, sandbox) === asked) return undefined;
  return { path: ['sandbox'], bound: 'sandbox', allowed: `${sandbox} or stricter` };
}

function minutesViolation({ max_minutes }: Bounds, minutes: number): Violation | undefined {
  if (max_minutes === undefined || minutes <= max_minutes) return undefined;
  const allowed = `at most ${max_minutes}`;
  return { path: ['limits', 'minutes'], bound: 'max_minutes', allowed };
}

const weakestFirst: readonly SandboxMode[] = ['off', 'preferred', 'required'];

function stricter(asked: SandboxMode, bound: SandboxMode = 'off'): SandboxMode {
  return weakestFirst.indexOf(bound) > weakestFirst.indexOf(asked) ? bound : asked;
}
