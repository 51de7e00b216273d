import { z } from 'zod';
import { branchGlob, isLiteral, matchesBranch } from '../../text/globs.ts';
import { approvalOfBase } from './approval-keys.ts';
import { expectedGlob, flag, key, listOf, mapping, oneOrMore, textLike } from './schema-forms.ts';
import { verifierList, verifiersFrom } from './verifier-keys.ts';

const globError =
  'a branch, or a glob of branches as in the rules of GitHub, such as "release/*": `*` does not match `/`, `**/` is any folders, `?` one character, `[a-z]` one of a set';

const glob = z
  .string({ error: globError })
  .max(200, { error: globError })
  .regex(branchGlob, { error: ({ input }) => expectedGlob(input, globError) });

const branches = oneOrMore(glob, globError)
  .meta({
    description:
      'Branches, as names or as globs like those in the rules of GitHub (`*` does not match `/`, `**/` is any folders), one or a list. The first entry that matches counts. The default branch cannot be listed.',
    examples: ['release/*'],
  })
  .transform((given) => [given].flat());

const checkError =
  'a name of at most 40 small letters, digits, dots, hyphens and underscores that does not begin with `unlisted`';

const check = key(textLike(/^(?!unlisted)[a-z0-9._-]{1,40}$/, checkError), {
  description:
    'The name in the check runs of these branches: `release` gives `Coxswain (release)` and `Coxswain (release) / test`. The branches share it: an approval for one counts for all. Required, except with `per_branch`.',
  examples: ['release'],
});

const base = mapping(
  {
    branches,
    check: check.optional(),
    per_branch: key(flag().default(false), {
      description:
        'With `true`, each of the branches has a check of its own, `Coxswain (release/1.2)`, and an approval counts for one of them. A branch with capitals or other characters, and a long one, is shown with a hash.',
      examples: [true],
    }),
    verifiers: key(verifierList.transform(verifiersFrom).optional(), {
      description: 'The verifiers for these branches, in place of the whole list at the top.',
      examples: [[{ name: 'test', run: 'npm test' }]],
    }),
    approval: key(approvalOfBase.optional(), {
      description: 'Keys that differ for these branches; all others are those at the top.',
      examples: [{ required: 2 }],
    }),
  },
  'a mapping with `branches` and `check`',
);

type Base = z.output<typeof base>;

function baseFrom({ branches: globs, check: named, per_branch, verifiers: own, approval = {} }: Base) {
  const shared = per_branch ? null : (named ?? null);
  return { globs, check: shared, verifiers: own ?? null, approval };
}

/** The branches besides the default branch that count, and what is different for them. */
export const bases = listOf(base, 50, 'entries', 'a list of entries, each with `branches` and `check`')
  .superRefine((listed, context) => {
    for (const [index, entry] of listed.entries()) {
      for (const { key, message } of problemsOf(entry, index, listed))
        context.addIssue({ code: 'custom', path: [index, key], message });
    }
  })
  .prefault([])
  .meta({
    title: 'Base branches',
    description:
      'Other branches that count, and what is different for them. Into every branch that is neither the default branch nor listed here, the check is `Coxswain (unlisted: <branch>)`, which no rule should require.',
    examples: [[{ branches: 'release/*', check: 'release' }]],
  })
  .transform((listed) => listed.map(baseFrom));

interface EntryProblem {
  readonly key: 'branches' | 'check';
  readonly message: string;
}

function problemsOf(entry: Base, index: number, listed: readonly Base[]): readonly EntryProblem[] {
  const named = entry.per_branch ? branchNamedLike(entry, listed) : nameProblem(entry, index, listed);
  return [...(named === undefined ? [] : [named]), ...overlaps(entry, listed.slice(0, index))];
}

/** Two entries may not share a check run. */
function nameProblem(
  { check: name }: Base,
  index: number,
  listed: readonly Base[],
): EntryProblem | undefined {
  if (name === undefined)
    return { key: 'check', message: 'a name for the check of these branches, or `per_branch: true`' };
  const first = listed.findIndex((other) => !other.per_branch && other.check === name);
  if (first === index) return undefined;
  return { key: 'check', message: `a unique name: bases[${first}] has the same one` };
}

/** A branch with a check of its own may not be named like the check of another entry. */
function branchNamedLike(entry: Base, listed: readonly Base[]): EntryProblem | undefined {
  const names = listed.flatMap(({ per_branch, check: name }) =>
    per_branch || name === undefined ? [] : [name],
  );
  const taken = names.find((name) => entry.branches.some((each) => matchesBranch(each, name)));
  if (taken === undefined) return undefined;
  const message = `globs that do not match ${taken}, because another entry has a check of that name`;
  return { key: 'branches', message };
}

/** The globs show two overlaps: the same one twice, and a name that a glob of another entry matches. */
function overlaps(entry: Base, earlier: readonly Base[]): readonly EntryProblem[] {
  return earlier.flatMap((other, place): EntryProblem[] => {
    const both = entry.branches.find((one) => other.branches.some((each) => overlap(one, each)));
    if (both === undefined) return [];
    return [{ key: 'branches', message: `branches of no other entry: bases[${place}] has some of ${both}` }];
  });
}

function overlap(one: string, other: string): boolean {
  if (one === other) return true;
  return (isLiteral(one) && matchesBranch(other, one)) || (isLiteral(other) && matchesBranch(one, other));
}
