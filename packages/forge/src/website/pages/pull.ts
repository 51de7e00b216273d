import type { PullIssue } from '../../model.ts';
import { reviewsOf } from '../../payloads/pulls.ts';
import { type Html, html, person, type Value } from '../html.ts';
import { mergeBox, mergeDeeds } from '../merge/merge-box.ts';
import { pullFrame, pullIn, pullTitle } from '../pull-frame.ts';
import { reviewBox, reviewDeeds } from '../thread/reviews.ts';
import { commentBox, labelSection, openingCard, threadDeeds } from '../thread/thread.ts';
import { timeline } from '../thread/timeline.ts';
import { type Page, type PageRoute, type Params, page, type RepositoryVisit } from '../visit.ts';

/** The conversation of a pull request, with the box in which it is merged. */
export const pullPages: readonly PageRoute[] = [
  page('/pull/:number', conversation, { ...threadDeeds, ...reviewDeeds, ...mergeDeeds }),
];

async function conversation(visit: RepositoryVisit, { number }: Params): Promise<Page> {
  const issue = pullIn(visit, number);
  const main = html`${await pullFrame(visit, issue, '')}
<div class="columns"><div>
${openingCard(visit, issue)}
${await timeline(visit, issue)}
${await mergeBox(visit, issue)}
${reviewBox(visit, issue)}
${commentBox(visit, issue)}
</div><div class="sidebar">${reviewers(visit, issue)}${labelSection(visit, issue)}</div></div>`;
  return { title: pullTitle(issue), tab: 'pulls', main };
}

/** Who was asked for a review, and the newest verdict of those who gave one. */
function reviewers({ context }: RepositoryVisit, issue: PullIssue): Html {
  const given = reviewsOf(context, issue).filter(({ submitted_at }) => submitted_at !== null);
  const newest = new Map(given.map((review) => [review.user_id, review]));
  const asked = issue.pull.requested_reviewer_ids.map(
    (id): Value => html`<li>${person(context, id)} <span class="muted">was asked</span></li>`,
  );
  const words = {
    APPROVED: 'approved',
    CHANGES_REQUESTED: 'requested changes',
    COMMENTED: 'commented',
    DISMISSED: 'dismissed',
    PENDING: 'pending',
  };
  const done = [...newest.values()].map(({ user_id, state, commit_id }): Value => {
    const isOld = commit_id !== issue.pull.head_sha;
    return html`<li>${person(context, user_id)} <span class="muted">${words[state]}${isOld && ', at an older commit'}</span></li>`;
  });
  const none = html`<p class="muted">No reviews</p>`;
  return html`<section aria-labelledby="reviewers"><h2 id="reviewers">Reviewers</h2>
${asked.length + done.length === 0 ? none : html`<ul class="plain">${asked}${done}</ul>`}</section>`;
}
