import { type Html, html } from '../html.ts';
import type { ThreadPlace } from '../place.ts';
import type { Had } from '../reading/had.ts';
import { triggerLabel } from '../reading/overview.ts';
import type { Conversation, IssueFacts } from '../reading/thread.ts';
import { composer, type Typed } from './composer.ts';
import { conversation } from './conversation.ts';
import { runForms } from './issue-forms.ts';
import { badge, external, section, time, whenHad } from './parts.ts';

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
