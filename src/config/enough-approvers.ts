import type { ApprovalSettings, Approver } from '../steering/shapes/settings.ts';
import type { BaseBranches } from './bases.ts';
import { problemAt, type Reading } from './problems.ts';
import { valueAt } from './schema/json-schema.ts';
import type { Path, Problem } from './schema/problem.ts';

type Who = Pick<ApprovalSettings, 'by' | 'required'>;

interface Approvals {
  readonly settings: { readonly approval: ApprovalSettings };
  readonly bases: readonly BaseBranches[];
}

/** Wherever the file asks for more approvals than it names people: no run could ever be approved there. */
export function neverApproved({ settings: { approval }, bases }: Approvals, reading: Reading): Problem[] {
  const ofBases = bases.map((entry, index) => ({
    path: ['bases', index, 'approval'],
    who: { ...approval, ...entry.approval },
  }));
  return [{ path: ['approval'], who: approval }, ...ofBases].flatMap(({ path, who }) => {
    const key = keyWrittenAt(path, reading);
    if (key === undefined) return [];
    const expected = expectedToSuffice(key, who);
    return expected === undefined ? [] : [problemAt([...path, key], expected, reading)];
  });
}

/** What this key would have to be for a run to be approved at all; undefined if it can be. */
export function expectedToSuffice(key: string, { by, required }: Who): string | undefined {
  const people = peopleIn(by);
  if (people >= required) return undefined;
  if (key === 'required') return `at most ${people}, because \`by\` names no more people`;
  if (key === 'by') return `at least ${required} users, because so many must approve, or a permission`;
  return undefined;
}

/** An entry of `bases` may have only one of the two, or neither. */
function keyWrittenAt(path: Path, { document }: Reading): 'by' | 'required' | undefined {
  const keys = ['required', 'by'] as const;
  return keys.find((key) => valueAt(document, [...path, key]) !== undefined);
}

/** Any number may have a permission. */
function peopleIn(by: readonly Approver[]): number {
  const logins = by.map((one) => ('login' in one ? one.login.toLowerCase() : undefined));
  return logins.includes(undefined) ? Infinity : new Set(logins).size;
}
