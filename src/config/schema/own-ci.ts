import { z } from 'zod';

const nameError = 'the name of a check run as GitHub shows it on a commit, at most 200 characters';

/** A run that waited for a check of its own would wait for ever. */
const ownError =
  'a check of another App: those named `Coxswain` are made by the run that would wait for them';

const own = /^coxswain(?:$|\s*[(/])/i;

/** The name of a check run that the repository's own CI makes. */
export const checkName = z
  .string({ error: nameError })
  .max(200, { error: nameError })
  // Characters that nobody sees would make two names look alike.
  .regex(/^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u, { error: nameError })
  .refine((name) => !own.test(name), { error: ownError })
  .meta({
    title: 'Check',
    description:
      'A check of your CI, by the name that GitHub shows on a commit; it is waited for on each head. For GitHub Actions that is the name of the job. Either this or `run`.',
    examples: ['build / test'],
  });

const slugError = 'the slug of an App, as in github.com/apps/<slug>: small letters, digits and hyphens';

/** The App that makes the check. */
export const appSlug = z
  .string({ error: slugError })
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/, { error: slugError })
  .meta({
    title: 'App',
    description:
      'The App that makes the check, by its slug: `github-actions` for workflows. Required with `check`; a check of that name by another App does not count, and neither does a commit status.',
    examples: ['github-actions'],
  });
