import { z } from 'zod';
import type { OnTimeout } from '../../steering/shapes/settings.ts';
import { approvers, protectedPaths } from './approvers.ts';
import {
  flag,
  key,
  listOf,
  mapping,
  numberFrom,
  oneOf,
  section,
  textLike,
  withoutDefaults,
} from './forms.ts';
import { duration, wholeNumber } from './quantities.ts';
import { ifAny } from './settled.ts';
import { fewerWays, moreManual, raised } from './tightening.ts';

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
