import { z } from 'zod';
import type { Role } from '../../steering/shapes/people.ts';
import type { Approver, OnTimeout, ProtectedPaths } from '../../steering/shapes/settings.ts';
import { isPathGlob, pathGlob } from '../../text/globs.ts';
import {
  duration,
  expectedGlob,
  flag,
  ifAny,
  key,
  listOf,
  mapping,
  numberFrom,
  oneOf,
  oneOrMore,
  section,
  textLike,
  wholeNumber,
  withoutDefaults,
} from './schema-forms.ts';
import { fewerApprovers, fewerWays, free, moreManual, raised, type Tightening } from './tightening.ts';

const name = '[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?';
const account = `@${name}(?:/[A-Za-z0-9_.-]{1,100})?`;
const named = `triage|write|maintain|admin|${account}`;

/** It matches a person or a team. */
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
const approvers = entries(
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
const protectedPaths = listOf(
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

const appError = 'the slug of an App, as in github.com/apps/<slug>';

const ways = listOf(oneOf(['comment', 'review', 'button']), 3, 'ways')
  .min(1, { error: 'at least one of comment, review and button' })
  .refine((listed) => new Set(listed).size === listed.length, { error: 'each way at most once' });

const keys = {
  mode: key(oneOf(['manual', 'auto', 'confidence_threshold']), {
    task: moreManual,
    description:
      'Who decides about work whose verifiers passed and that no gate stopped. `manual`: people, always. `auto`: with high confidence nobody has to, with medium confidence people have `auto_proceed_after` to respond, else people decide. `confidence_threshold`: nobody has to if the confidence reaches `threshold`, else people decide.',
    examples: ['auto'],
  }).default('manual'),
  threshold: key(numberFrom(0, 1), {
    task: raised,
    description:
      'The confidence from which nobody has to approve in mode `confidence_threshold`. Has no effect in the others.',
    examples: [0.8],
  }).default(0.8),
  new_history: key(wholeNumber(0, 100), {
    title: 'New ground',
    description:
      'How many runs of the same agent must have been merged in this repository before `auto` and `confidence_threshold` count in full. Before that, no confidence is more than medium: people always have time to respond, and unless `on_timeout: proceed` is set explicitly, they decide.',
    examples: [3],
  }).default(3),
  auto_proceed_after: key(duration({ min: '1s', max: '30d' }), {
    title: 'Time to respond',
    description:
      'How long people have before a run proceeds automatically where it need not wait for them. Any response from a person with triage access stops it. People hear of it by email, so ten minutes is not long.',
    examples: ['30m'],
  }).prefault('10m'),
  on_timeout: key(oneOf(['proceed', 'hold', 'deny']), {
    title: 'When nobody responds',
    description:
      'What happens after `auto_proceed_after`: the run is approved by policy (`proceed`), waits for people (`hold`) or is rejected (`deny`). Without this key it is `proceed`, but not on new ground and not with `finish: merge` or `auto-merge`: there it has to be set explicitly, or people decide.',
    examples: ['hold'],
  }).optional(),
  required: key(wholeNumber(1, 10), {
    task: raised,
    title: 'Approvals',
    description: 'How many different people must approve.',
    examples: [2],
  }).default(1),
  by: approvers.prefault(['write']),
  how: key(ways.optional(), {
    task: fewerWays,
    description:
      'In which ways people may approve: `comment` (`/approve`, also through the page, the API and the terminal), `review` (an approving one) and `button` (a click on Approve in the check run, which takes the App). Without this key all of them count. Whoever holds a token of a person can write comments and reviews in their name, but not click.',
    examples: [['button']],
  }),
  steerer_may_approve: key(flag(), {
    description:
      'Whether someone who steered the run may approve it, or who pushed to its branch, wrote commits of an adopted one, or wrote the issue: was the last to change it, or opened it for somebody else to start the run; or whose comment on it the agent was given.',
    examples: [false],
  }).default(true),
  requester_may_approve: key(flag(), {
    description: 'Whether someone who asked for the run may approve it.',
    examples: [false],
  }).default(true),
  protected_paths: protectedPaths.prefault([]),
  finish: key(oneOf(['ready', 'auto-merge', 'merge']), {
    description:
      "What happens after approval: leave draft (`ready`), have GitHub's auto-merge do it, or merge at once. Auto-merge is only used where a rule of the base requires the check with the App as its source; elsewhere the App waits for a week at most, and merges when GitHub allows it. Where the base has a merge queue, both put it there.",
    examples: ['ready'],
  }).default('ready'),
  merge_method: key(oneOf(['merge', 'squash', 'rebase']), {
    description: 'How `finish` merges.',
    examples: ['squash'],
  }).default('squash'),
  apps: listOf(
    textLike(/^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/, appError),
    50,
    'Apps',
    'a list of Apps, each by its slug',
  )
    .meta({
      description:
        "Apps that may write a person's approvals and other commands for them, by slug. What any other App writes in the name of a person does not count.",
      examples: [['review-desk']],
    })
    .default([]),
};

export const approval = section({
  ...keys,
  approve_stages: z
    .literal('all', { error: 'all, to approve the result of each stage' })
    .optional()
    .meta({
      description:
        'With `all`, people see and approve the result of each stage before the next one begins, and the work itself in any mode.',
      examples: ['all'],
    }),
})
  .meta({
    description: 'Who must approve, and what happens then.',
    examples: [{ required: 2 }],
  })
  .transform(({ protected_paths, on_timeout, ...read }) => ({
    ...read,
    on_timeout: 'proceed' as const,
    ...timed(on_timeout),
    protected_paths: ifAny(protected_paths),
  }));

/** Keys that branches of `bases` may have differently; where there is none, that of the others applies. */
export const approvalOfBase = mapping(withoutDefaults(keys))
  .partial()
  .transform(({ on_timeout, ...read }) => ({ ...read, ...timed(on_timeout) }));

/** Where people did not write it out, there are cases in which it does not count. */
function timed(on_timeout: OnTimeout | undefined) {
  return on_timeout && { on_timeout, on_timeout_written: true as const };
}
