import { refusalText } from '../../github/words/index.ts';
import type { CommandName } from '../../steering/commands/index.ts';
import { covers } from '../../steering/person.ts';
import { type Html, html } from '../html.ts';
import { markdown } from '../markdown.ts';
import type { Offers, RefusedOffer, Speaker } from '../offers.ts';
import type { Posting } from '../postings.ts';
import { externalLink } from './components.ts';

interface NotesOptions {
  readonly offers: Offers;
  readonly speaker: Speaker;
  /** The address of the pull request. */
  readonly url: string;
}

/** Why some of the commands available now are not offered here, and what was posted and waits. */
export function offerNotes({ offers, speaker, url }: NotesOptions): Html {
  const { viewer, posting } = speaker;
  const { refused, onGitHub } = offers;
  return html`<div id="posted" role="status" aria-live="polite">${posting !== undefined && postedNote(posting)}</div>
${onGitHub.length > 0 && onGitHubNote(onGitHub, url)}
${viewer.role === null && unknownRole(offers)}
${refusedNote(refused, speaker, url)}`;
}

function postedNote({ name, phase }: Posting): Html {
  return phase === 'waiting'
    ? html`<p class="pending">Posted <code>/${name}</code>. Waiting for Coxswain…</p>`
    : html`<p class="pending late">Posted <code>/${name}</code>, and Coxswain has not taken it up yet.
It is on GitHub and is not lost.</p>`;
}

function onGitHubNote(names: readonly CommandName[], url: string): Html {
  const words = names.map((name, index) => html`${index > 0 && ', '}<code>/${name}</code>`);
  return html`<p class="notice">Other machines can reach this page, and it speaks with one person's account.
So ${words} ${names.length === 1 ? 'is' : 'are'} said ${externalLink(url, 'on GitHub')}, by the person who decides.</p>`;
}

function unknownRole({ offered, despite }: Offers): Html | false {
  const isOffered = offered.length + despite.length > 0;
  return (
    isOffered &&
    html`<p class="muted">GitHub does not say which role you have here, so what is offered may be refused.</p>`
  );
}

/** What decides is explained; of the rest only that the person's role does not suffice. */
function refusedNote(refused: readonly RefusedOffer[], { viewer }: Speaker, url: string): Html | false {
  const { role } = viewer;
  if (role !== null && !covers(role, 'write') && refused.length > 0)
    return html`<p class="notice">Your role here is ${role}: commands that change the run need write.</p>`;
  const decisive = refused.find(({ name }) => name === 'approve' || name === 'allow' || name === 'steer');
  if (decisive === undefined) return false;
  const { refusal, possible } = decisive;
  const text =
    refusal.why === 'not_permitted' && role === null
      ? `\`/${refusal.command}\` requires ${refusal.needs}.`
      : refusalText(refusal, { possible, web: url.replace(/\/pull\/\d+$/, '') });
  return html`<div class="notice">${markdown(text)}</div>`;
}
