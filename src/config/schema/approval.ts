import { z } from 'zod';
import { duration, wholeNumber } from '../quantities.ts';
import { approvers, protectedPaths } from './approvers.ts';
import { flag, listOf, mapping, numberFrom, oneOf, textLike } from './forms.ts';

export const mode = oneOf(['manual', 'auto', 'confidence_threshold']).meta({
  title: 'Mode',
  description:
    'Who decides about work whose verifiers passed and that no gate stopped. `manual`: people, always. `auto`: with high confidence nobody has to, with medium confidence people have `auto_proceed_after` to say something, else people decide. `confidence_threshold`: nobody has to if the confidence reaches `threshold`, else people decide.',
  examples: ['auto'],
});

export const required = wholeNumber(1, 10).meta({
  title: 'Approvals',
  description: 'How many different people must approve.',
  examples: [2],
});

export const threshold = numberFrom(0, 1).meta({
  title: 'Threshold',
  description:
    'The confidence from which nobody has to approve in mode `confidence_threshold`. Has no effect in the others.',
  examples: [0.8],
});

const newHistory = wholeNumber(0, 100).meta({
  title: 'New ground',
  description:
    'How many runs of the same agent must have been merged in this repository before `auto` and `confidence_threshold` count in full. Before that, no confidence is more than medium: people always have time to say something, and unless `on_timeout: proceed` is written out, they decide.',
  examples: [3],
});

const autoProceedAfter = duration({ min: '1s', max: '30d' }).meta({
  title: 'Time to say something',
  description:
    'How long people have before a run goes on by itself where it need not wait for them. Any word of a person with triage access stops it. People learn of it by e-mail, so ten minutes are not much.',
  examples: ['30m'],
});

const onTimeout = oneOf(['proceed', 'hold', 'deny']).meta({
  title: 'When nobody says anything',
  description:
    'What happens after `auto_proceed_after`: the run is approved by policy (`proceed`), waits for people (`hold`) or is rejected (`deny`). Without this key it is `proceed`, but not on new ground and not with `finish: merge` or `auto-merge`: there it has to be written out, or people decide.',
  examples: ['hold'],
});

const steererMayApprove = flag().meta({
  description:
    'Whether someone who steered the run may approve it, or who pushed to its branch, wrote commits of an adopted one, or wrote the issue: was the last to change it, or opened it for somebody else to start the run; or whose comment on it the agent was given.',
  examples: [false],
});

const requesterMayApprove = flag().meta({
  description: 'Whether someone who asked for the run may approve it.',
  examples: [false],
});

const finish = oneOf(['ready', 'auto-merge', 'merge']).meta({
  title: 'Finish',
  description:
    "What happens after approval: leave draft (`ready`), have GitHub's auto-merge do it, or merge at once. Auto-merge is only used where a rule of the base requires the check with the App as its source; elsewhere the App waits for a week at most, and merges when GitHub allows it.",
  examples: ['ready'],
});

const mergeMethod = oneOf(['merge', 'squash', 'rebase']).meta({
  title: 'Merge method',
  description: 'How `finish` merges.',
  examples: ['squash'],
});

const appError = 'the slug of an App, as in github.com/apps/<slug>';

const apps = listOf(
  textLike(/^[a-z0-9](?:[a-z0-9-]{0,98}[a-z0-9])?$/, appError),
  50,
  'Apps',
  'a list of Apps, each by its slug',
).meta({
  title: 'Apps',
  description:
    "Apps that may write a person's approvals and other commands for them, by slug. What any other App writes in the name of a person does not count.",
  examples: [['review-desk']],
});

export const approval = mapping({
  mode: mode.default('manual'),
  threshold: threshold.default(0.8),
  new_history: newHistory.default(3),
  auto_proceed_after: autoProceedAfter.default('10m'),
  on_timeout: onTimeout.optional(),
  required: required.default(1),
  by: approvers.default(['write']),
  steerer_may_approve: steererMayApprove.default(true),
  requester_may_approve: requesterMayApprove.default(true),
  protected_paths: protectedPaths.default([]),
  finish: finish.default('ready'),
  merge_method: mergeMethod.default('squash'),
  apps: apps.default([]),
  approve_stages: z
    .literal('all', { error: 'all, to approve what each stage came to' })
    .optional()
    .meta({
      title: 'Approve stages',
      description:
        'With `all`, people see and approve what each stage came to before the next one begins, and the work itself in any mode.',
      examples: ['all'],
    }),
})
  .prefault({})
  .meta({
    title: 'Approval',
    description: 'Who must approve, and what happens then.',
    examples: [{ required: 2 }],
  });

/** The keys that branches of `bases` may have differently; without defaults, because the others apply. */
export const approvalOfBase = mapping({
  mode,
  threshold,
  new_history: newHistory,
  auto_proceed_after: autoProceedAfter,
  on_timeout: onTimeout,
  required,
  by: approvers,
  protected_paths: protectedPaths,
  steerer_may_approve: steererMayApprove,
  requester_may_approve: requesterMayApprove,
  finish,
  merge_method: mergeMethod,
  apps,
}).partial();
