import { z } from 'zod';
import { ifAny, unless } from '../settled.ts';
import { expectedGlob } from './expected-glob.ts';
import { listOf, oneOf } from './forms.ts';

export const proof = oneOf(['on', 'off'])
  .default('on')
  .meta({
    title: 'Proof',
    description:
      'Whether the verifiers are run twice more on a change that touches test files: with the test files as they were, and with the new ones on the code without the change. The results are shown, and count for the gate on weakened tests, not for the score.',
    examples: ['off'],
  });

const globError =
  'a glob such as "spec/**" or "**/*.check.ts": at most 200 characters, with *, **, ?, [a-z] and {a,b}';

/** Each of these makes matching slower; a path has few folders and words. */
const maxStars = 6;

export const fileGlob = z
  .string({ error: globError })
  .min(1, { error: globError })
  .max(200, { error: globError })
  .refine((glob) => !/[\\()!@+|^$\p{C}]/u.test(glob) && !glob.startsWith('/'), { error: globError })
  .refine((glob) => (glob.match(/\*+/g) ?? []).length <= maxStars, {
    error: `a glob with at most ${maxStars} times * or **`,
  })
  .refine((glob) => isBalanced(glob), { error: ({ input }) => expectedGlob(input, nestedError) });

const nestedError = 'a glob whose braces and brackets are closed, none inside another and none empty';

function isBalanced(glob: string): boolean {
  const rest = glob.replace(/\[[^[\]{}]+\]/g, '').replace(/\{[^[\]{}]+\}/g, '');
  return !/[[\]{}]/.test(rest);
}

export const tests = listOf(fileGlob, 50, 'globs')
  .default([])
  .meta({
    title: 'Test files',
    description:
      'Globs of all files that belong to tests: code, snapshots, fixtures, settings of test runners. With none, the usual layouts of many languages.',
    examples: [['spec/**', '**/*.check.ts']],
  })
  .transform(ifAny);

export const verifyAgainst = oneOf(['head', 'merge'])
  .default('head')
  .meta({
    title: 'What is verified',
    description:
      'What the verifiers see: the head of the branch, or its merge with the tip of the base, as Git makes it. With `merge`, a conflict stops for a human, and if the base has moved since, the verifiers run again before a finish.',
    examples: ['merge'],
  })
  .transform(unless('head'));
