import { approvedBy } from '../../steering/approval/policy-finish.ts';
import type { State } from '../../steering/state.ts';
import { type Html, html } from '../html.ts';
import type { PullModel } from '../load/run.ts';
import { externalLink } from './components.ts';

/** After the approval: what has happened, who merges and where. */
export function wayOn(state: State, pull: Pick<PullModel, 'url' | 'draft'>): Html | false {
  const { standing, settings } = state;
  if (standing.phase !== 'approved') return false;
  const { finish } = settings.approval;
  const text = standing.finish === 'checking' ? checkingText(finish) : finishedText(state, pull);
  const link =
    standing.finish === 'finished' &&
    html`<p>${externalLink(`${pull.url}#partial-pull-merging`, 'Go to the merge box on GitHub')}</p>`;
  return html`<div id="way-on" class="notice success"><p><b>Approved by ${approvedBy(state)}.</b> ${text}</p>${link}</div>`;
}

type Finish = State['settings']['approval']['finish'];

function checkingText(finish: Finish): string {
  return `Coxswain compares the approval with GitHub once more; then ${afterCheck[finish]}.`;
}

const afterCheck: { readonly [F in Finish]: string } = {
  ready: 'the pull request is no longer a draft, and can be merged on GitHub',
  'auto-merge': 'it lets GitHub merge the pull request as soon as its rules allow it',
  merge: 'it merges the pull request',
};

function finishedText(state: State, { draft }: Pick<PullModel, 'draft'>): string {
  const { finish, merge_method } = state.settings.approval;
  const isDue = state.owed.some((effect) => effect.do === 'merge');
  switch (finish) {
    case 'ready':
      return draft
        ? 'Coxswain is taking it out of draft; then anyone who may merge can merge it on GitHub.'
        : 'It is ready for review, and anyone who may merge can merge it on GitHub.';
    case 'auto-merge':
      return isDue
        ? `Coxswain is asking GitHub to merge it (${merge_method}) as soon as its rules allow it.`
        : `Coxswain has done its part: GitHub merges it (${merge_method}) as soon as its rules allow it, or the conversation says why not.`;
    case 'merge':
      return isDue
        ? `Coxswain is merging it (${merge_method}); if GitHub does not allow that yet, the conversation says why.`
        : `Coxswain has asked GitHub to merge it (${merge_method}); the conversation says if it could not.`;
  }
}
