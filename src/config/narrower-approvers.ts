import type { Settings } from '../steering/settings.ts';

type Approvers = Settings['approval']['by'];

/** Everyone whom the task admits must be admitted by the repository too. */
export function wider(value: Approvers, now: Approvers): string | undefined {
  const admitted = value.every((one) => now.some((known) => includes(known, one)));
  return admitted ? undefined : 'only some of those whom the repository admits';
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
