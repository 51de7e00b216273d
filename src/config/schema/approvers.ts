import { z } from 'zod';
import type { Role } from '../../steering/shapes/person.ts';
import type { Approver, ProtectedPaths } from '../../steering/shapes/settings.ts';
import { isPathGlob, pathGlob } from '../../text/globs/path-glob.ts';
import { expectedGlob, listOf, mapping, oneOrMore } from './forms.ts';
import { fewerApprovers, free, type Tightening } from './tightening.ts';

const name = '[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?';
const account = `@${name}(?:/[A-Za-z0-9_.-]{1,100})?`;
const named = `triage|write|maintain|admin|${account}`;

/** A person or a team. */
export const asked = new RegExp(`^${account}$`);

const available = 'triage, write, maintain, admin, a user such as "@ada", or a team such as "@acme/core"';

function entries(pattern: RegExp, expected: (input: string) => string) {
  return listOf(
    z
      .string({ error: 'a permission, a user such as "@ada", or a team such as "@acme/core"' })
      .regex(pattern, { error: ({ input }) => expected(String(input)) }),
    50,
    'permissions, users and teams',
  ).min(1, { error: 'at least one permission, user or team' });
}

/** `write`, `@ada`, `@acme/core` and `codeowners`, as an entry has been accepted. */
function approversFrom(by: readonly string[]): readonly Approver[] {
  return by.map((text) => {
    if (text === 'codeowners') return { codeowners: true };
    if (text.startsWith('@')) return text.includes('/') ? { team: text.slice(1) } : { login: text.slice(1) };
    return { role: text as Role }; // the pattern allows nothing else
  });
}

function expectedEntry(input: string): string {
  return input === 'read' ? `${available}; everyone may read a public repository` : available;
}

/** `@ada`; names of enterprise-managed users contain an underscore (`ada_acme`). */
export const approvers = entries(
  new RegExp(`^(?:${named}|codeowners)$`),
  (input) => `${expectedEntry(input)}; or codeowners`,
)
  .transform(approversFrom)
  .meta({
    task: fewerApprovers,
    title: 'Who may approve',
    description:
      'Permissions (triage, write, maintain, admin; each includes the stronger ones), users (in quotes: "@ada"), teams of the organization ("@acme/core"), and `codeowners`. Users and teams also need access to the repository. With `codeowners`, each changed file that has owners in CODEOWNERS on the base needs one of them with write access; files without owners need the others in this list, or write access if there are none. Teams take the permission `members: read`, which only an App can have. A user is known by name here: remove people who leave, because somebody else can register a name that was given up.',
    examples: [['maintain', '@ada', '@acme/core']],
  });

const protectors = entries(new RegExp(`^(?:${named})$`), (input) =>
  input === 'codeowners' ? `${available}; codeowners belongs in approval.by` : expectedEntry(input),
)
  .meta({
    title: 'Who protects them',
    description: 'Permissions, users and teams, as under `approval.by`. One of them must approve.',
    examples: [['@acme/platform']],
  })
  .transform(approversFrom);

const globError =
  'a glob of at most 200 characters such as "infra/**" or "*.sql": `*` is any text without `/`, `**` any folders, `?` one character, `{a,b}` one of few texts; without a slash at the beginning, `!` and `[ ]`';

/** Those who choose an option need less than those who approve. */
export const answerers = entries(new RegExp(`^(?:read|${named})$`), (input) =>
  input === 'codeowners'
    ? `read, ${available}; codeowners own files, and a question is about none`
    : `read, ${available}`,
)
  .meta({
    title: 'Who may answer',
    description:
      'Permissions (read, triage, write, maintain, admin), users and teams, as under `approval.by`, but no `codeowners`. Without write access they choose one of the options that the agent offers, and write no text of their own. Bots never answer.',
    examples: [['triage', '@acme/core']],
  })
  .transform(approversFrom);

const glob = z
  .string({ error: globError })
  .regex(pathGlob, { error: ({ input }) => expectedGlob(input, globError), abort: true })
  .refine(isPathGlob, { error: ({ input }) => expectedGlob(input, globError) });

/** More files whose changes somebody in particular must approve, besides those of the repository. */
const moreProtected: Tightening = {
  ...free,
  applied: (asked: readonly ProtectedPaths[], { approval, ...settings }) => ({
    ...settings,
    approval: { ...approval, protected_paths: [...(approval.protected_paths ?? []), ...asked] },
  }),
};

/** Files that have approvers of their own. */
export const protectedPaths = listOf(
  mapping(
    {
      paths: oneOrMore(glob, globError)
        .meta({
          title: 'Files',
          description:
            'Globs of files, one or a list. One without `/` is a name in any folder, and one with `/` at its end is everything in the folder. A renamed file counts with both names.',
          examples: ['infra/**'],
        })
        .transform((paths) => [paths].flat()),
      by: protectors,
    },
    'a mapping with `paths` and `by`',
  ),
  50,
  'entries',
  'a list of entries, each with `paths` and `by`',
).meta({
  task: moreProtected,
  description:
    'Files of which one more person must approve a change: one of those named here, besides all others who must. Whoever is named both here and under `by` counts for both.',
  examples: [[{ paths: 'infra/**', by: ['@acme/platform'] }]],
});
