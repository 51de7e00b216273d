import { either } from '../phrases/either.ts';
import { covers, type Person } from '../shapes/person.ts';
import type { Approver } from '../shapes/settings.ts';

/** Someone who is named needs access to the repository, too: else a login could outlive its owner's. */
export function admits(approver: Approver, person: Person): boolean {
  if ('role' in approver) return covers(person.role, approver.role);
  if (person.role === 'none') return false;
  if ('login' in approver) return approver.login.toLowerCase() === person.login.toLowerCase();
  return 'team' in approver && (person.teams ?? []).some((team) => isSameTeam(team, approver.team));
}

/** Whether two entries mean the same people. */
export function isSameApprover(one: Approver, other: Approver): boolean {
  return inWords(one).toLowerCase() === inWords(other).toLowerCase();
}

/** GitHub ignores case in the names of organizations and teams. */
export function isSameTeam(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** `write`, `@ada`, `@acme/core`. */
export function inWords(approver: Approver): string {
  if ('role' in approver) return approver.role;
  if ('login' in approver) return `@${approver.login}`;
  return 'team' in approver ? `@${approver.team}` : 'the code owners';
}

/** `write, @ada or @acme/core` */
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
