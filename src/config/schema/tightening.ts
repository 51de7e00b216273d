import type { ApprovalMode, ApprovalWay, Approver, Settings } from '../../steering/shapes/settings.ts';
import type { Path } from './config-problem.ts';

/**
 * How a task may change a key of the configuration, which says so in its metadata. Whatever a task asks for,
 * whoever asks: nothing is replaced, dropped or loosened.
 */
export interface Tightening {
  /** The task writes this key at its top, instead of the other at its place. */
  readonly as?: string;
  /** Settings have it at this path, if that is another one. */
  readonly at?: Path;
  /** This value stands for the repository's own. */
  readonly unset?: unknown;
  /** An example that no repository forbids, where that of the key is not. */
  readonly example?: unknown;
  /** The key of it that is told if the task may not say this. */
  readonly told?: string;
  /** Says what the task would have to say instead; undefined if it may say this. */
  expected(asked: unknown, now: unknown, settings: Settings): string | undefined;
  /** The settings with what is asked, where that does not take the place of what they have. */
  applied?(asked: unknown, settings: Settings): Settings;
}

export const raised: Tightening = {
  expected: (asked: number, now: number) =>
    asked < now ? `at least ${now}, the repository's own` : undefined,
};

export const lowered: Tightening = {
  expected: (asked: number, now: number | undefined) =>
    asked > (now ?? Infinity) ? `at most ${now}, the repository's own` : undefined,
};

/** It neither loosens nor tightens anything. */
export const free: Tightening = { expected: () => undefined };

/** A task may say one of these words that is no looser than the repository's own. */
export function stricter(loosestFirst: readonly string[]): Tightening {
  return {
    example: loosestFirst.at(-1),
    expected: (asked: string, now: string) =>
      loosestFirst.indexOf(asked) < loosestFirst.indexOf(now)
        ? `${now}, the repository's own, or stricter`
        : undefined,
  };
}

/** Neither of the modes without people is always the stricter one: that depends on the threshold. */
export const moreManual: Tightening = {
  expected(asked: ApprovalMode, now: ApprovalMode) {
    if (asked === 'manual' || asked === now) return undefined;
    return now === 'manual' ? 'manual' : `${now}, the repository's own, or manual`;
  },
};

/**
 * Everyone whom the task admits must be admitted by the repository too. Code owners are asked under both or
 * under neither: without them less is needed, and with them others count.
 */
export const fewerApprovers: Tightening = {
  expected(asked: readonly Approver[], now: readonly Approver[]) {
    if (asksOwners(asked) !== asksOwners(now))
      return asksOwners(now)
        ? 'codeowners, as in the repository, among others'
        : 'no codeowners, as in the repository';
    const known = generallyAdmitted(now);
    const admitted = generallyAdmitted(asked).every((one) => known.some((each) => includes(each, one)));
    return admitted ? undefined : 'only some of those whom the repository admits';
  },
};

/** Where the repository leaves it open, every way counts. */
export const fewerWays: Tightening = {
  expected(asked: readonly ApprovalWay[], now: readonly ApprovalWay[] | undefined) {
    if (now === undefined || asked.every((way) => now.includes(way))) return undefined;
    return `only ${now.join(' or ')}, as in the repository`;
  },
};

function asksOwners(by: readonly Approver[]): boolean {
  return by.some((one) => 'codeowners' in one);
}

const weakestFirst = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

function includes(known: Approver, one: Approver): boolean {
  if ('role' in known && 'role' in one)
    return weakestFirst.indexOf(one.role) >= weakestFirst.indexOf(known.role);
  return nameOf(known) === nameOf(one);
}

/** A permission has its own name, which is like that of no person or team. */
function nameOf(one: Approver): string {
  if ('role' in one) return one.role;
  if ('login' in one) return `@${one.login.toLowerCase()}`;
  return 'team' in one ? `@${one.team.toLowerCase()}` : 'codeowners';
}

/** Where only code owners are named, other files take write access. */
function generallyAdmitted(by: readonly Approver[]): readonly Approver[] {
  const others = by.filter((one) => !('codeowners' in one));
  return others.length === 0 ? [{ role: 'write' }] : others;
}
