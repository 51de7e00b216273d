import type { Settings } from '../../steering/shapes/settings.ts';
import type { State } from '../../steering/state/state.ts';
import { coAuthorTrailers } from '../../text/commit-message.ts';
import { code, plain } from './sanitize.ts';

/** Why an approved run is not merged yet. */
export interface MergeWait {
  /** What GitHub says, or `blocked` and the like; empty if it has said nothing. */
  readonly reason: string;
  /** Why GitHub does not merge it by itself. */
  readonly instead: MergeInstead;
  /** When we stop trying, ISO 8601. */
  readonly until: string;
}

/**
 * `configured`: we are to merge. `queue`: through the merge queue of the base, into which a workflow's `token`
 * puts nothing. `unsourced`: the base does not require the check from our App. `refused`: GitHub's reason.
 * `over`: the approval is too old.
 */
export type MergeInstead =
  | { readonly why: 'configured' }
  | { readonly why: 'unsourced'; readonly check: string }
  | { readonly why: 'queue' }
  | { readonly why: 'token' }
  | { readonly why: 'over' }
  | { readonly why: 'refused'; readonly reason: string };

/** Said once on the pull request: what is missing, who merges, and until when. */
export function mergeWaitText(
  { reason, instead, until }: MergeWait,
  presenter: State['run']['presenter'],
): string {
  if (instead.why === 'over')
    return (
      'Coxswain no longer tries to merge this commit, because it was approved more than a week ago. ' +
      'Merge it by hand.'
    );
  if (instead.why === 'token')
    return (
      'Approved. The base has a merge queue, and GitHub starts no workflow for what is put there with the token ' +
      'of a workflow: whoever may merge has to add this pull request to the queue, or the workflow needs ' +
      `the token of an App as ${code('github-token')}.`
    );
  const refusal = reason === '' ? '' : ` (${plain(reason).replace(/\.$/, '')})`;
  const again =
    presenter === 'app'
      ? 'when checks complete, when somebody reviews, and every few minutes'
      : 'whenever a command or a review here starts its workflow, and on its schedule';
  const [what, does] =
    instead.why === 'queue'
      ? ['let it into the merge queue', 'puts it there']
      : ['allow merging', 'merges this commit itself'];
  return (
    `Approved, but GitHub does not ${what} yet${refusal}. ${staleText(reason)}${insteadText(instead)}` +
    `Coxswain ${does} as soon as GitHub allows it: it tries again ${again}, until ${until}.`
  );
}

/** A person took an approved run out of the merge queue. */
export function leftQueueText({ by }: { readonly by: string }): string {
  return (
    `${plain(by)} took this pull request out of the merge queue. It stays approved, and Coxswain does not put it ` +
    'there again: whoever may merge can add it on GitHub, or merge it if the base has no queue any more.'
  );
}

/** GitHub's words for a head that lacks what the base has by now. */
function staleText(reason: string): string {
  if (!['behind', 'dirty'].includes(reason)) return '';
  const resolving =
    reason === 'dirty' ? `, and ${code('/update --resolve')} lets the agent resolve conflicts` : '';
  return `${code('/update')} merges the base into the branch${resolving}; the new head then has to be approved. `;
}

/** Where an approved run is shown, until it is merged; empty where people merge. */
export function dueText({ standing, settings }: Pick<State, 'standing' | 'settings'>): string {
  if (standing.phase !== 'approved' || standing.finish !== 'finished') return '';
  const { queue } = standing;
  if (queue?.is === 'in')
    return 'In the merge queue: GitHub merges it once the group that it is in has passed its checks.';
  if (queue?.is === 'out')
    return `Not merged: ${plain(queue.by)} took it out of the merge queue, so a person has to add it again or merge it.`;
  if (settings.approval.finish === 'ready') return '';
  return 'Not merged yet: it will be merged as soon as GitHub allows it, or the conversation will say why not.';
}

function insteadText(instead: Exclude<MergeInstead, { why: 'over' | 'token' }>): string {
  switch (instead.why) {
    case 'configured':
    case 'queue':
      return '';
    case 'unsourced':
      return `Auto-merge is not used, because no rule of the base requires the check ${code(instead.check)} with this App as its source. `;
    case 'refused':
      return `Auto-merge could not be enabled: ${plain(instead.reason)}. `;
  }
}

/**
 * The body of a squashed commit where CI is held back; undefined where the repository's settings decide.
 * What GitHub makes of the squashed commits may end with their `skip-checks: true`, and would keep CI from
 * running on the base.
 */
export function squashBody(
  { run, requested_by, iterations }: Pick<State, 'run' | 'requested_by' | 'iterations'>,
  { ci, approval }: Pick<Settings, 'ci' | 'approval'>,
): string | undefined {
  if (ci !== 'after_look' || approval.merge_method !== 'squash') return undefined;
  const steerers = iterations.flatMap(({ steers }) =>
    steers.map(({ author: login, author_id: id }) => ({ login, id })),
  );
  return [`Coxswain-Run: ${run.id}`, ...coAuthorTrailers([requested_by, ...steerers])].join('\n');
}
