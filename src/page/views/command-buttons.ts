import { refusalText } from '../../github/words/index.ts';
import { type CommandName, commandSpecs } from '../../steering/commands/index.ts';
import { covers } from '../../steering/person.ts';
import type { Phase } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import type { FormInput } from '../form-input.ts';
import { type Html, html } from '../html.ts';
import { markdown } from '../markdown.ts';
import { approvedAs, type Offers, type RefusedOffer, type Speaker } from '../offers.ts';
import type { Posting } from '../postings.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { details, externalLink } from './components.ts';

interface CommandButtonsOptions {
  readonly route: IssueRoute;
  readonly state: State;
  readonly offers: Offers;
  readonly input: FormInput | null;
  readonly posting: Posting | undefined;
}

/** The commands that would be accepted now, as buttons; each posts an ordinary comment. */
export function commandButtons(options: CommandButtonsOptions): Html {
  const { state, offers } = options;
  const { offered, despite } = offers;
  const buttons = oneClick.filter(({ name }) => offered.includes(name));
  const primary = primaryCommand(offered, state);
  const forms = buttons.map((command) =>
    buttonForm(options, { ...command, isPrimary: command.name === primary }),
  );
  return html`${forms.length > 0 && html`<div class="command-buttons">${forms}</div>`}
${despite.length > 0 && despiteForm(options)}
${offered.includes('reject') && rejectForm(options)}
${offered.includes('cancel') && cancelForm(options)}`;
}

interface CommandButton {
  readonly name: CommandName;
  readonly label: string;
  readonly isPrimary: boolean;
}

const oneClick: readonly Omit<CommandButton, 'isPrimary'>[] = [
  { name: 'approve', label: 'Approve' },
  { name: 'allow', label: 'Allow once' },
  { name: 'deny', label: 'Deny' },
  { name: 'resume', label: 'Resume' },
  { name: 'retry', label: 'Try again' },
  { name: 'verify', label: 'Verify again' },
];

/** The highlighted command: what the run waits for, if one word can be expected to be the answer. */
function primaryCommand(offered: readonly CommandName[], { standing }: State): CommandName | undefined {
  const suggested = suggestions[standing.phase];
  return suggested !== undefined && offered.includes(suggested) ? suggested : undefined;
}

const suggestions: { readonly [P in Phase]?: CommandName } = {
  awaiting_approval: 'approve',
  awaiting_resolution: 'retry',
  failed: 'retry',
  paused: 'resume',
  timed_out: 'resume',
};

/** An approval names the commit that was shown with the button. */
function buttonForm(options: CommandButtonsOptions, { name, label, isPrimary }: CommandButton): Html {
  const text = name === 'approve' ? approvedAs(options.state) : '';
  const commit = text !== '' && html` <code>${shortSha(text)}</code>`;
  return html`<form method="post" action="${pathOf(options.route, 'comment')}" id="button-${name}">
${fields(name, text)}
<button${isPrimary && html` class="primary"`}${disabled(options)}
 title="${commandSpecs[name].summary}">${label}${commit}</button></form>`;
}

function fields(name: CommandName, text: string): Html {
  return html`<input type="hidden" name="command" value="${name}"><input type="hidden" name="text" value="${text}">`;
}

/** While a command waits to be taken up, another click could only be refused. */
function disabled({ posting }: CommandButtonsOptions): Html | false {
  return posting?.phase === 'waiting' && html` disabled`;
}

function despiteForm(options: CommandButtonsOptions): Html {
  const { route, state, offers } = options;
  const names = offers.despite.join(', ');
  const overridden = offers.despite.map((name) => `--despite ${name}`);
  return details(
    { id: 'despite', summary: `Approve despite ${names}…`, open: true },
    html`<form method="post" action="${pathOf(route, 'comment')}">
${fields('approve', [approvedAs(state), ...overridden].join(' '))}
<p>This overrides what failed and is required: <b>${names}</b>.
It takes the role maintain or admin, and the ledger keeps who did it.</p>
<button class="danger"${disabled(options)}>Approve <code>${shortSha(state.head)}</code> despite ${names}</button></form>`,
  );
}

function rejectForm(options: CommandButtonsOptions): Html {
  const { route, input } = options;
  const reason = input?.command === 'reject' ? input.text : '';
  return details(
    { id: 'reject', summary: 'Reject…', open: reason !== '' },
    html`<form method="post" action="${pathOf(route, 'comment')}">
<input type="hidden" name="command" value="reject">
<label for="reason">Reason (shown on the pull request and kept in the ledger)</label>
<textarea id="reason" name="text" rows="2" required>${reason}</textarea>
<button class="danger"${disabled(options)}>Reject and close</button></form>`,
  );
}

function cancelForm(options: CommandButtonsOptions): Html {
  return details(
    { id: 'cancel', summary: 'Cancel…' },
    html`<form method="post" action="${pathOf(options.route, 'comment')}">
<input type="hidden" name="command" value="cancel">
<p>${commandSpecs.cancel.summary}</p>
<button class="danger"${disabled(options)}>Cancel the run</button></form>`,
  );
}

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
