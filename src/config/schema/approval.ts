import { z } from 'zod';
import { duration, wholeNumber } from '../quantities.ts';
import { emptyList, notYet } from './later.ts';

const flag = () => z.boolean({ error: 'true or false' });

/** `@ada`; names of enterprise-managed users contain an underscore (`ada_acme`). */
const approver = /^(?:triage|write|maintain|admin|@[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?)$/;

export const approvers = z
  .array(
    z
      .string({ error: 'a permission, or a user such as "@ada"' })
      .regex(approver, { error: ({ input }) => expectedApprover(String(input)) }),
    { error: 'a list of permissions and users' },
  )
  .min(1, { error: 'at least one permission or user' })
  .max(50, { error: 'at most 50 permissions and users' })
  .meta({
    title: 'Who may approve',
    description:
      'Permissions (triage, write, maintain, admin; each includes the stronger ones) ' +
      'and users (in quotes: "@ada"), who also need access to the repository. A user is known by name here: remove ' +
      'people who leave, because somebody else can register a name that was given up.',
    examples: [['maintain', '@ada']],
  });

function expectedApprover(input: string): string {
  const available = 'triage, write, maintain, admin, or a user such as "@ada"';
  if (input === 'codeowners') return `${available}; code owners are ${notYet}`;
  if (/^@[^/]+\/.+/.test(input)) return `${available}; teams are ${notYet}`;
  if (input === 'read') return `${available}; everyone may read a public repository`;
  return available;
}

export const mode = z
  .literal('manual', {
    error: ({ input }) =>
      input === 'auto' || input === 'confidence_threshold' ? `manual; ${input} is ${notYet}` : 'manual',
  })
  .meta({ title: 'Mode', description: 'With `manual` a human always decides.', examples: ['manual'] });

export const required = wholeNumber(1, 10).meta({
  title: 'Approvals',
  description: 'How many different people must approve.',
  examples: [2],
});

const confidenceError = 'a number from 0 to 1';

export const threshold = z
  .number({ error: confidenceError })
  .min(0, { error: confidenceError })
  .max(1, { error: confidenceError })
  .meta({
    title: 'Threshold',
    description: 'The confidence at which work is good enough. Has no effect in mode `manual`.',
    examples: [0.8],
  });

const steererMayApprove = flag().meta({
  description:
    'Whether someone who steered the run may approve it, or who pushed to its branch, wrote commits of an adopted ' +
    'one, or wrote the issue: was the last to change it, or opened it for somebody else to start the run; ' +
    'or whose comment on it the agent was given.',
  examples: [false],
});

const requesterMayApprove = flag().meta({
  description: 'Whether someone who asked for the run may approve it.',
  examples: [false],
});

const finish = z.enum(['ready', 'auto-merge', 'merge'], { error: 'ready, auto-merge or merge' }).meta({
  title: 'Finish',
  description:
    "What happens after approval: leave draft (`ready`), have GitHub's auto-merge do it, or merge at once. Auto-merge is " +
    'only used where a rule of the base requires the check with the App as its source; elsewhere the App waits for ' +
    'a week at most, and merges when GitHub allows it.',
  examples: ['ready'],
});

const mergeMethod = z
  .enum(['merge', 'squash', 'rebase'], { error: 'merge, squash or rebase' })
  .meta({ title: 'Merge method', description: 'How `finish` merges.', examples: ['squash'] });

const appError = 'the slug of an App, as in github.com/apps/<slug>';

const apps = z
  .array(z.string({ error: appError }).regex(/^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/, { error: appError }), {
    error: 'a list of Apps, each by its slug',
  })
  .max(50, { error: 'at most 50 Apps' })
  .meta({
    title: 'Apps',
    description:
      "Apps that may write a person's approvals and other commands for them, by slug. What any other App writes in " +
      'the name of a person does not count.',
    examples: [['review-desk']],
  });

export const approval = z
  .strictObject(
    {
      mode: mode.default('manual'),
      threshold: threshold.default(0.8),
      auto_proceed_after: duration({ min: '10m', max: '10m' })
        .default('10m')
        .meta({
          description: `Only the default: continuing without a human is ${notYet}.`,
          examples: ['10m'],
        }),
      on_timeout: z
        .literal('proceed', { error: `proceed, the default; continuing without a human is ${notYet}` })
        .default('proceed')
        .meta({
          description: `Only the default: continuing without a human is ${notYet}.`,
          examples: ['proceed'],
        }),
      required: required.default(1),
      by: approvers.default(['write']),
      steerer_may_approve: steererMayApprove.default(true),
      requester_may_approve: requesterMayApprove.default(true),
      protected_paths: emptyList('protected paths')
        .default([])
        .meta({ description: `Only the default: protected paths are ${notYet}.`, examples: [[]] }),
      finish: finish.default('ready'),
      merge_method: mergeMethod.default('squash'),
      apps: apps.default([]),
    },
    { error: 'a mapping' },
  )
  .prefault({})
  .meta({
    title: 'Approval',
    description: 'Who must approve, and what happens then.',
    examples: [{ required: 2 }],
  });

/** The keys that branches of `bases` may have differently; without defaults, because the others apply. */
export const approvalOfBase = z.strictObject(
  {
    mode: mode.optional(),
    threshold: threshold.optional(),
    required: required.optional(),
    by: approvers.optional(),
    steerer_may_approve: steererMayApprove.optional(),
    requester_may_approve: requesterMayApprove.optional(),
    finish: finish.optional(),
    merge_method: mergeMethod.optional(),
    apps: apps.optional(),
  },
  { error: 'a mapping' },
);
