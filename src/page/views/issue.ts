import { type Html, html } from '../html.ts';
import type { Conversation, IssueFacts } from '../load/conversation.ts';
import type { Had } from '../load/loaded.ts';
import { triggerLabel } from '../load/overview.ts';
import type { ThreadPlace } from '../routes.ts';
import { composer, type Typed } from './comment-form.ts';
import { badge, external, section, time, whenHad } from './components.ts';
import { conversation } from './conversation.ts';
import { runForms } from './start-run-forms.ts';

export interface IssuePage {
  readonly place: ThreadPlace;
  readonly issue: IssueFacts;
  readonly conversation: Had<Conversation>;
  readonly typed: Typed | null;
}

/** An issue: what is wanted, what was said, and how to start. */
export function issueMain({ place, issue, conversation: said, typed }: IssuePage): Html {
  const { title, author, at, open, labels, url } = issue;
  return html`<header class="head">
<p class="crumbs"><a href="/">Runs</a> / ${place.owner}/${place.repo}</p>
<h1>${title} <span class="number">#${place.number}</span></h1>
<p class="facts">${badge(open ? 'open' : 'closed', open ? 'good' : 'plain')}
${labels.map((label) => badge(label))}
<span class="quiet">opened by ${author} ${time(at)} · ${external(url, 'on GitHub')}</span></p>
</header>
<div class="columns"><div class="side">${section(
    'say',
    'Say',
    open && runForms(place, labels.includes(triggerLabel)),
    composer({ place, possible: ['run'], typed }),
  )}</div>
<div class="wide">${section(
    'conversation',
    'Conversation',
    whenHad(said, (words) => conversation(issue, words)),
  )}</div></div>`;
}
