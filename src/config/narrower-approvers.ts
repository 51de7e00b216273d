import type { Settings } from '../steering/settings.ts';

type Approvers = Settings['approval']['by'];

/**
 * Everyone whom the task admits must be admitted by the repository too. Code owners are asked under both or
 * under neither: without them less is needed, and with them others count.
 */
export function wider(value: Approvers, now: Approvers): string | undefined {
  if (asksOwners(value) !== asksOwners(now))
    return asksOwners(now)
      ? 'codeowners, as in the repository, among others'
      : 'no codeowners, as in the repository';
  const known = generallyAdmitted(now);
  const admitted = generallyAdmitted(value).every((one) => known.some((each) => includes(each, one)));
  return admitted ? undefined : 'only some of those whom the repository admits';
}

function asksOwners(by: Approvers): boolean {
  return by.some((one) => 'codeowners' in one);
}

const weakestFirst = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

function includes(known: Approvers[number], one: Approvers[number]): boolean {
  if ('role' in known && 'role' in one)
    return weakestFirst.indexOf(one.role) >= weakestFirst.indexOf(known.role);
  return nameOf(known) === nameOf(one);
}

/** Of a permission its own, which no name of a person or a team is like. */
function nameOf(one: Approvers[number]): string {
  if ('role' in one) return one.role;
  if ('login' in one) return `@${one.login.toLowerCase()}`;
  return 'team' in one ? `@${one.team.toLowerCase()}` : 'codeowners';
}

/** Where only code owners are named, other files take write access. */
function generallyAdmitted(by: Approvers): Approvers {
  const others = by.filter((one) => !('codeowners' in one));
  return others.length === 0 ? [{ role: 'write' }] : others;
}
