import { hasLabel } from '../../github/names.ts';
import type { FormInput } from '../form-input.ts';
import { type Html, html } from '../html.ts';
import type { Conversation } from '../load/conversation.ts';
import type { IssueModel } from '../load/issue.ts';
import type { Loaded } from '../load/loaded.ts';
import type { IssueRoute } from '../routes.ts';
import { commentForm } from './comment-form.ts';
import { badge, externalLink, section, time, whenLoaded } from './components.ts';
import { conversation } from './conversation.ts';
import { startRunForms } from './start-run-forms.ts';

interface IssueViewOptions {
  readonly route: IssueRoute;
  readonly issue: IssueModel;
  readonly conversation: Loaded<Conversation>;
  readonly input: FormInput | null;
  /** The label that starts a run there. */
  readonly trigger: string;
}

/** An issue: what is wanted, the conversation, and how to start a run. */
export function issueView(options: IssueViewOptions): Html {
  const { route, issue, conversation: comments, input, trigger } = options;
  const { title, author, at, open, labels, url } = issue;
  return html`<header class="page-header">
<p class="crumbs"><a href="/">Runs</a> / ${route.owner}/${route.repo}</p>
<h1>${title} <span class="number">#${route.number}</span></h1>
<p class="facts">${badge(open ? 'open' : 'closed', open ? 'success' : 'neutral')}
${labels.map((label) => badge(label))}
<span class="muted">opened by ${author} ${time(at)} · ${externalLink(url, 'on GitHub')}</span></p>
</header>
<div class="columns"><div class="sidebar">${section(
    'commands',
    'Commands',
    open && startRunForms(route, { trigger, labelled: hasLabel(labels, trigger) }),
    commentForm({ route, possible: ['run'], approval: null, input }),
  )}</div>
<div class="content">${section(
    'conversation',
    'Conversation',
    whenLoaded(comments, (model) => conversation(issue, model)),
  )}</div></div>`;
}
