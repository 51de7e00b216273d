import { either, unnamedOwner } from '../phrases/phrases.ts';
import type { Authority, Owned, Protected } from '../shapes/approval-authority.ts';
import { covers, isSame, type Person } from '../shapes/people.ts';
import type { ApprovalSettings, Approver } from '../shapes/settings.ts';
import type { State } from '../state/state.ts';

/** Whose approval a commit needs. A run is approved when nothing is missing from any of its needs. */
export interface Need {
  readonly of: 'general' | 'protected' | 'owners';
  /**
   * One of these; code owners are listed by name. Empty if nobody can be asked, such as for an e-mail
   * address.
   */
  readonly by: readonly Approver[];
  /** How many different people have to approve. */
  readonly required: number;
  /** The files that it is about; absent if all are. */
  readonly files?: {
    /** The globs of protected paths, else the first of the files. */
    readonly paths: readonly string[];
    readonly count: number;
  };
  /** The logins of those whose approvals count towards it. */
  readonly have: readonly string[];
  /** How many more people; 0 if it is met. */
  readonly missing: number;
}

/** The rules of a commit: what the configuration says, and what follows from the files that it changes. */
export interface Rules {
  readonly approval: Pick<ApprovalSettings, 'by' | 'required'>;
  readonly authority?: Authority | undefined;
}

/** What the commit under review needs, and what it has. */
export function needsOf(state: Pick<State, 'settings' | 'shown' | 'approvals'>): readonly Need[] {
  return needsUnder(
    approvalRules(state),
    state.approvals.map(({ by }) => by),
  );
}

/** The rules of the commit under review. */
export function approvalRules({ settings, shown }: Pick<State, 'settings' | 'shown'>): Rules {
  return { approval: settings.approval, authority: shown?.authority };
}

/**
 * What these rules demand, and how much of it these people meet; somebody who is listed twice counts once.
 */
export function needsUnder(rules: Rules, people: readonly Person[]): readonly Need[] {
  const different = people.filter((person, at) => people.findIndex((each) => isSame(each, person)) === at);
  return demandsOf(rules).map((demand) => {
    const have = different.filter((person) => counts(demand, person)).map(({ login }) => login);
    const { writers: _, ...need } = demand;
    return { ...need, have, missing: Math.max(need.required - have.length, 0) };
  });
}

/** The number of people that every commit needs. */
export function general(needs: readonly Need[]): Pick<Need, 'have' | 'required'> {
  return needs.find(({ of }) => of === 'general') ?? { have: [], required: 0 };
}

/** Whether the run is approved: nothing is missing of any need. */
export function areMet(needs: readonly Need[]): boolean {
  return missing(needs).length === 0;
}

/** How many approvals are missing, of all needs together. */
export function missingIn(needs: readonly Need[]): number {
  return needs.reduce((sum, need) => sum + need.missing, 0);
}

/** The needs that are not met: what a refusal, a reply and `/why` tell. */
export function missing(needs: readonly Need[]): readonly Need[] {
  return needs.filter((need) => need.missing > 0);
}

/** Whether an approval by this person counts towards anything. */
export function isAdmitted(rules: Rules, person: Person): boolean {
  return !person.bot && demandsOf(rules).some((demand) => counts(demand, person));
}

/**
 * Whether less would be missing with an approval by this person, who may have given one before: with another
 * role, or in another team, the same person may count towards more.
 */
export function bringsNearer(state: Pick<State, 'settings' | 'shown' | 'approvals'>, by: Person): boolean {
  const people = state.approvals.map((approval) => approval.by);
  const others = people.filter((person) => !isSame(person, by));
  const missingWith = (some: readonly Person[]) => missingIn(needsUnder(approvalRules(state), some));
  return missingWith([...others, by]) < missingWith(people);
}

/** Whether it matters which files are changed. */
export function dependsOnFiles({
  by,
  protected_paths = [],
}: Pick<ApprovalSettings, 'by' | 'protected_paths'>): boolean {
  return protected_paths.length > 0 || asksOwners(by);
}

/** Everyone whose approval may count, each once. */
export function everyoneIn(rules: Rules): readonly Approver[] {
  const all = demandsOf(rules).flatMap(({ by }) => by);
  return all.filter((one, at) => all.findIndex((each) => isSameApprover(each, one)) === at);
}

/** The teams whose members it matters to know, such as `acme/core`. */
export function teamsIn(rules: Rules): readonly string[] {
  return everyoneIn(rules).flatMap((approver) => ('team' in approver ? [approver.team] : []));
}

/** The teams whose members may answer questions. */
export function answeringTeams({ settings: { answers } }: State): readonly string[] {
  return (answers?.by ?? []).flatMap((approver) => ('team' in approver ? [approver.team] : []));
}

/** The people whom the configuration admits in general: where it names only code owners, those with write. */
export function generallyAdmitted(by: readonly Approver[]): readonly Approver[] {
  const others = by.filter((approver) => !('codeowners' in approver));
  return others.length === 0 ? [{ role: 'write' }] : others;
}

/** What is missing, as part of a sentence: `1 more by write`, `infra/** needs @acme/platform`. */
export function needText({ of, by, missing, files }: Need): string {
  const whom = by.length === 0 ? unnamedOwner : eitherOf(by);
  if (files === undefined) return `${missing} more by ${whom}`;
  const { paths, count } = files;
  const all = of === 'protected' ? paths.length : count;
  const shown = paths.slice(0, maxPaths);
  return `${shown.join(', ')}${all > shown.length ? ', …' : ''} ${all === 1 ? 'needs' : 'need'} ${whom}`;
}

const maxPaths = 3;

interface Demand extends Omit<Need, 'have' | 'missing'> {
  /** Those of `by` who count only if they may write, as on GitHub. */
  readonly writers?: readonly Approver[];
}

/** The general one first, then protected paths in the order of the configuration, then code owners. */
function demandsOf({ approval, authority }: Rules): readonly Demand[] {
  const owned = asksOwners(approval.by) ? (authority?.owned ?? []) : [];
  const withOwners = owned.filter(({ owners }) => owners.length > 0);
  const isOwnedWhole = withOwners.length > 0 && withOwners.length === owned.length;
  const writers = isOwnedWhole ? withOwners.flatMap((each) => ownersNamed(each.owners)) : [];
  const by = [...generallyAdmitted(approval.by), ...writers];
  const general: Demand = { of: 'general', by, writers, required: approval.required };
  return [general, ...(authority?.protected ?? []).map(demandOfProtected), ...withOwners.map(demandOfOwners)];
}

/** Whether owners of the changed files are asked. */
export function asksOwners(by: readonly Approver[]): boolean {
  return by.some((approver) => 'codeowners' in approver);
}

function demandOfProtected({ paths, by, count }: Protected): Demand {
  return { of: 'protected', by, required: 1, files: { paths, count } };
}

function demandOfOwners({ owners, files: paths, count }: Owned): Demand {
  const by = ownersNamed(owners);
  return { of: 'owners', by, writers: by, required: 1, files: { paths, count } };
}

function counts({ by, writers = [] }: Demand, person: Person): boolean {
  const mayWrite = covers(person.role, 'write');
  const admitting = by.filter((approver) => admits(approver, person));
  return !person.bot && admitting.some((approver) => mayWrite || !writers.includes(approver));
}

/** Someone who is named needs access to the repository, too: else a login could outlive its owner's. */
export function admits(approver: Approver, person: Person): boolean {
  if ('role' in approver) return covers(person.role, approver.role);
  if (person.role === 'none') return false;
  if ('login' in approver) return approver.login.toLowerCase() === person.login.toLowerCase();
  return 'team' in approver && (person.teams ?? []).some((team) => isSameTeam(team, approver.team));
}

/** Whether two entries mean the same people. */
function isSameApprover(one: Approver, other: Approver): boolean {
  return inWords(one).toLowerCase() === inWords(other).toLowerCase();
}

/** GitHub ignores case in the names of organizations and teams. */
export function isSameTeam(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Who an entry means, as people write it: `write`, `@ada`, `@acme/core`. */
export function inWords(approver: Approver): string {
  if ('role' in approver) return approver.role;
  if ('login' in approver) return `@${approver.login}`;
  return 'team' in approver ? `@${approver.team}` : 'the code owners';
}

/** Any of them, as part of a sentence: `write, @ada or @acme/core`. */
export function eitherOf(approvers: readonly Approver[]): string {
  return either(approvers.map(inWords));
}

/** The accounts and teams of a line of CODEOWNERS; an e-mail address is of nobody whom GitHub names. */
export function ownersNamed(owners: readonly string[]): readonly Approver[] {
  return owners.flatMap((owner): Approver[] => {
    if (!owner.startsWith('@')) return [];
    const name = owner.slice(1);
    return [name.includes('/') ? { team: name } : { login: name }];
  });
}
