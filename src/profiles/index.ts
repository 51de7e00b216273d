import type { ProtocolAgent } from '../steering/shapes/settings.ts';
import * as listed from './known-agents.ts';
import { type NamedProfile, type Profile, shared, usualExitCode } from './profile.ts';

export type ProfileName = keyof typeof listed;

/** The agents that are known, by name, in the order of the reference. */
export const profiles: Readonly<Record<ProfileName, NamedProfile>> = listed;

export const profileNames = Object.keys(profiles) as readonly ProfileName[]; // by its type

/** Every value of `agent.use`. */
export const agentUses: readonly string[] = ['command', 'scripted', 'acp', ...profileNames];

/** The names of agents that are packages of npm. */
export const installableNames = profileNames.filter((name) => profiles[name].launch.package !== undefined);

/** Undefined for programs of which we know no more than how they are started. */
export function profileNamed(use: string): NamedProfile | undefined {
  return new Map<string, NamedProfile>(Object.entries(profiles)).get(use);
}

/** What we know of the agent that a configuration chooses. */
export function profileOf({ use, command = [] }: ProtocolAgent): Profile {
  return profileNamed(use) ?? unknownAgent(command);
}

/** The value of `agent` for an agent that is known by name: with a model if it does not work without one. */
export function shortestChoice(use: ProfileName): string {
  const model = profiles[use].modelNeeded;
  return model === undefined ? use : `{ use: ${use}, model: ${model} }`;
}

/** An agent of which we know only that it speaks the protocol. */
function unknownAgent([bin = '', ...args]: readonly string[]): Profile {
  return {
    name: 'acp',
    title: `the agent \`${bin}\``,
    launch: { bin, args },
    environment: () => ({}),
    reading: { exitCode: usualExitCode },
  };
}

/** Where agents are told what to do besides their task. Whichever works, all are looked after. */
export function pathsOf(known: readonly NamedProfile[]): NamedProfile['paths'] {
  const all = [...known.map(({ paths }) => paths), shared];
  return {
    home: all.flatMap(({ home }) => home),
    workspace: all.flatMap(({ workspace }) => workspace),
    instructions: all.flatMap(({ instructions }) => instructions),
  };
}

export const agentPaths = pathsOf(Object.values(profiles));

/**
 * Whether a file of a repository is a setting of an agent, by which it runs what it says on the machines of
 * people and CI; texts in the same folders are only read.
 */
export function isAgentSetting(path: string): boolean {
  const own = path.toLowerCase();
  return !/\.(?:md|mdc|txt)$/.test(own) && agentPaths.workspace.some((name) => isAtOrBelow(own, name));
}

export function isAtOrBelow(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}/`);
}
