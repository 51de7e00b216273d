import { html } from '../html.ts';
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
</div><div class="sidebar">${labelSection(visit, issue)}</div></div>`;
  return { title: pullTitle(issue), tab: 'pulls', main };
}
