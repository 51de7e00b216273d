import { generallyAdmitted } from '../steering/approval-needs.ts';
import { isSameApprover } from '../steering/approvers.ts';
import type { Settings } from '../steering/settings.ts';

type Approvers = Settings['approval']['by'];

/**
 * Everyone whom the task admits must be admitted by the repository too. Code owners are asked under both or under
 * neither: without them less is needed, and with them others count.
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
  return isSameApprover(known, one);
}
