import { type Html, html } from '../../html/html.ts';
import { markdown } from '../../html/markdown.ts';
import { requirementOf } from '../../steering/approval/authorization.ts';
import { type CommandName, commandNames, commandSpecs, specOf } from '../../steering/commands/index.ts';
import { openConcerns, reviewOf } from '../../steering/confidence/evaluation.ts';
import { supersededBy } from '../../steering/phases/table.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import { covers } from '../../steering/shapes/people.ts';
import type { ApprovalSettings } from '../../steering/shapes/settings.ts';
import type { OpenQuestion } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { shortened, visible } from '../../text/characters.ts';
import { refusalText, stageWord, steerFor } from '../../words/index.ts';
import { recordedWords } from '../../words/phases/index.ts';
import type { FormInput } from '../forms/form-input.ts';
import type { Offers, Posting, RefusedOffer, Speaker } from '../forms/offers.ts';
import type { Resembled } from '../forms/resembled-command.ts';
import { type IssueRoute, pathOf } from '../load/page-routes.ts';
import { details } from './components.ts';
import { approvalNotice, graveIn } from './evidence-view.ts';
import { interruptOf } from './task-forms.ts';

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
  const { phase } = state.standing;
  // A failed task has a form for that, and one that waits has not been tried.
  const isNoClick = (name: CommandName) =>
    name === 'retry' && (phase === 'blocked' || interruptOf(state) !== undefined);
  const known = commandNames.filter((name) => offered.includes(name) && !isNoClick(name));
  const forms = known.map((name) => buttonForm(options, name));
  const isApprovable = offered.includes('approve') || despite.length > 0;
  return html`${isApprovable && phase !== 'awaiting_stage' && approvalNotice(state)}
${forms.some(Boolean) && html`<div class="command-buttons">${forms}</div>`}
${offered.includes('answer') && (state.questions ?? []).map((open, nth) => answerForms(options, open, nth))}
${concernForms(options)}
${despite.length > 0 && despiteForm(options)}
${known.map((name) => foldedForm(options, name))}`;
}

/** Whether a gate was triggered, or another agent finds something grave: approving is no matter of course. */
function isRisky(state: State): boolean {
  return (state.shown?.gates ?? []).length + graveIn(state).length > 0;
}

/** An approval names the commit that was shown with the button. With a stage, no commit is approved. */
function buttonForm(options: CommandButtonsOptions, name: CommandName): Html | false {
  const { state } = options;
  const { phase } = state.standing;
  const { button, summary } = specOf(name);
  if (button === undefined || button.after !== undefined) return false;
  const isCommit = name === 'approve' && phase !== 'awaiting_stage';
  const commit = isCommit && html` <code>${shortSha(state.head)}</code>`;
  const isBegun = name !== 'resume' || phase !== 'blocked';
  const isCaution = isCommit && isRisky(state);
  const label = name === 'approve' && !isCommit ? `Approve the ${stageWord(state)}` : button.label;
  const look = isCaution ? 'danger' : recordedWords(state).awaits === name && 'primary';
  return html`<form method="post" action="${pathOf(options.route, 'comment')}" id="button-${name}">
${fields(name, isCommit ? { sha: state.head } : {})}
<button${look && html` class="${look}"`}${disabled(options)}
 title="${summary}">${isBegun ? label : 'Start'}${(isCaution || !isBegun) && ' anyway'}${commit}</button></form>`;
}

/** What a form says without anything being written in it. */
function fields(command: CommandName, said: Omit<Partial<FormInput>, 'resembled' | 'remarking'>): Html {
  const values = Object.entries({ command, ...said }).flatMap(([key, value]) =>
    [value].flat().map((each) => html`<input type="hidden" name="${key}" value="${each}">`),
  );
  return html`${values}`;
}

/** While a command waits to be taken up, another click could only be refused. */
function disabled({ posting }: CommandButtonsOptions): Html | false {
  return posting?.phase === 'waiting' && html` disabled`;
}

/** Its options as buttons, and a field for any other answer. Each names the question that it is for. */
function answerForms(
  options: CommandButtonsOptions,
  { asked, interaction }: OpenQuestion,
  nth: number,
): Html {
  const { route, input } = options;
  const action = pathOf(route, 'comment');
  const buttons = (asked.options ?? []).map(
    (option, index) => html`<form method="post" action="${action}" id="answer-${nth + 1}-${index + 1}">
${fields('answer', { about: interaction.id, text: `${index + 1}` })}
<button${disabled(options)}>${index + 1}. ${visible(option)}</button></form>`,
  );
  const id = `answer-${nth + 1}`;
  const text = input?.command === 'answer' && input.about === interaction.id ? input.text : '';
  return html`<div class="answers" role="group" aria-labelledby="${id}-question">
<p id="${id}-question">The agent asks: <span class="preserve-lines">${visible(asked.question)}</span></p>
${buttons.length > 0 && html`<div class="command-buttons">${buttons}</div>`}
<form method="post" action="${action}" id="${id}">
${fields('answer', { about: interaction.id })}
<label for="${id}-text">${buttons.length > 0 ? 'Or answer in your own words' : 'Your answer'} (shown on the pull request and kept in the ledger)</label>
<textarea id="${id}-text" name="text" rows="2" required>${text}</textarea>
<button${disabled(options)}>Answer</button></form></div>`;
}

/** What the second opinion found becomes a steer, or is settled, with one click each. */
function concernForms(options: CommandButtonsOptions): Html | false {
  const { route, state, offers } = options;
  const [maySteer, mayDismiss] = [offers.offered.includes('steer'), offers.offered.includes('dismiss')];
  const isCurrent = state.shown !== null && supersededBy(state) === undefined;
  const review = isCurrent ? reviewOf(state, state.head) : undefined;
  const open = review === undefined ? [] : openConcerns(review);
  if (open.length === 0 || !(maySteer || mayDismiss)) return false;
  // What a reviewer writes may look like another command, which nobody is to be asked about.
  const post = (name: CommandName, text: string, id: string, label: string) =>
    html`<form method="post" action="${pathOf(route, 'comment')}" id="${id}">
${fields(name, { text, asked_about: text })}
<button${disabled(options)}>${label}</button></form>`;
  const steer = (concerns: typeof open) => steerFor(concerns).replace(/^\/steer /, '');
  const each = open.slice(0, maxConcerns).map(
    (
      concern,
    ) => html`${maySteer && post('steer', steer([concern]), `steer-${concern.id}`, `Address ${concern.id}`)}
${mayDismiss && post('dismiss', concern.id, `dismiss-${concern.id}`, `Dismiss ${concern.id}`)}`,
  );
  return html`<div class="command-buttons" role="group" aria-label="Concerns of the second opinion">
${maySteer && open.length > 1 && post('steer', steer(open), 'steer-concerns', 'Address all concerns')}${each}</div>`;
}

const maxConcerns = 5;

function despiteForm(options: CommandButtonsOptions): Html {
  const { route, state, offers } = options;
  const names = offers.despite.join(', ');
  return details(
    { id: 'despite', summary: `Approve despite ${names}…`, open: true },
    html`<form method="post" action="${pathOf(route, 'comment')}">
${fields('approve', { sha: state.head, despite: offers.despite })}
<p>This overrides required verifiers that failed: <b>${names}</b>.
It takes the role maintain or admin, and the ledger keeps who did it.</p>
<button class="danger"${disabled(options)}>Approve <code>${shortSha(state.head)}</code> despite ${names}</button></form>`,
  );
}

/** What nobody is to say by a slip of the finger. */
function foldedForm(options: CommandButtonsOptions, name: CommandName): Html | false {
  const { route, input } = options;
  const { button, summary } = specOf(name);
  if (button?.after === undefined) return false;
  const id = `${name}-reason`;
  const reason = input?.command === name ? input.text : '';
  const asked =
    button.after === 'confirmation'
      ? html`<p>${summary}</p>`
      : html`<label for="${id}">Reason (shown on the pull request and kept in the ledger)</label>
<textarea id="${id}" name="text" rows="2" required>${reason}</textarea>`;
  return details(
    { id: name, summary: `${name.charAt(0).toUpperCase()}${name.slice(1)}…`, open: reason !== '' },
    html`<form method="post" action="${pathOf(route, 'comment')}">
${fields(name, {})}
${asked}
<button class="danger"${disabled(options)}>${button.label}</button></form>`,
  );
}

/**
 * Why some of the commands available now are not offered here, and what was posted and waits. `url` is the
 * address of the pull request.
 */
export function offerNotes(offers: Offers, speaker: Speaker, url: string): Html {
  const { posting } = speaker;
  return html`<div id="posted" role="status" aria-live="polite">${posting !== undefined && postedNote(posting)}</div>
${refusedNote(offers.refused, speaker, url)}`;
}

function postedNote({ name, phase }: Posting): Html {
  return phase === 'waiting'
    ? html`<p class="pending">Posted <code>/${name}</code>. Waiting for Coxswain…</p>`
    : html`<p class="pending late">Posted <code>/${name}</code>, and Coxswain has not taken it up yet.
It is on GitHub and is not lost.</p>`;
}

/** What decides is explained; of the rest only that the person's role does not suffice. */
function refusedNote(refused: readonly RefusedOffer[], { viewer }: Speaker, url: string): Html | false {
  const { role } = viewer;
  if (!covers(role, 'write') && refused.length > 0)
    return html`<p class="notice">Your role here is ${role}: commands that change the run need write access.</p>`;
  const decisive = refused.find(({ name }) => name === 'approve' || name === 'allow' || name === 'steer');
  if (decisive === undefined) return false;
  const { refusal, possible } = decisive;
  const text = refusalText(refusal, { possible, web: url.replace(/\/pull\/\d+$/, '') });
  return html`<div class="notice">${markdown(text)}</div>`;
}

interface CommentFormOptions {
  readonly route: IssueRoute;
  /** The commands that would be accepted here now. */
  readonly offers: OfferedCommands;
  /** Whose approval counts; null where there is no run whose configuration is known. */
  readonly approval: ApprovalSettings | null;
  readonly input: FormInput | null;
  /** The commit as an approval names it, where there is a run. */
  readonly commit?: string;
  /** What a steer is about, where that is not the work: `plan`. */
  readonly steered?: string | undefined;
}

type OfferedCommands = Pick<Offers, 'offered'> & Partial<Pick<Offers, 'despite'>>;

/** Posts any comment or command as the person. */
export function commentForm(options: CommentFormOptions): Html {
  const { route, offers, approval, input, commit = '', steered } = options;
  const of = steered === undefined ? '' : ` the ${steered}`;
  const text = input !== null && (input.command === '' || input.command === 'steer') ? input.text : '';
  const canSteer = offers.offered.includes('steer');
  const isAsked = input?.resembled !== undefined;
  const left = input?.posted !== undefined && input.posted;
  return html`<form class="comment-form" id="comment-form" method="post" action="${pathOf(route, 'comment')}"
${isAsked && html` data-asked`}${left && html` data-left`} data-commands="${['coxswain', ...commandNames].join(' ')}">
<label for="comment-text">${canSteer ? `Steer${of} in plain language, or enter a command` : 'Comment, or enter a command'}</label>
<textarea id="comment-text" name="text" rows="4" required aria-describedby="comment-help"
 placeholder="${placeholderOf(options)}"${isAsked && html` autofocus`}>${text}</textarea>
${left && html`<div class="notice" role="status"><p>Only <code>${left}</code> was posted: the rest of what you wrote is still here.</p></div>`}
${input?.resembled && question(input.resembled, { text, commit })}<div class="buttons">
${canSteer && !isAsked && html`<button class="primary" name="command" value="steer" data-label="Steer${of}">Steer${of}</button>`}
<button name="command" value=""${!canSteer && html` class="primary"`}>Comment</button>
<span id="comment-help" class="muted by-script">Ctrl+Enter posts it.</span>
</div>
</form>
${details({ id: 'all-commands', summary: 'All commands' }, commandList({ offers, approval }))}`;
}

/** A steer costs an agent's work, so what may be a command is neither said nor steered with unasked. */
function question(
  { name, text, isComplete }: Resembled,
  asked: { readonly text: string; readonly commit: string },
): Html {
  const said = text.replace(/^approve(?! [0-9a-f]{7,40}\b)/i, `approve ${asked.commit}`).trim();
  const label = shortened(said.split('\n', 1)[0] ?? '', 40);
  return html`<div class="notice" role="alert"><p>Nothing was posted yet, because this looks like the command
<code>${commandSpecs[name].usage}</code>. What did you mean?</p>
<div class="buttons">${isComplete && html`<button name="say" value="/${said}">Say only /${label}</button>`}
<button name="command" value="steer" data-label="Steer with these words">Steer with these words</button></div>
<input type="hidden" name="asked_about" value="${asked.text}"></div>
`;
}

function placeholderOf({ route: { page }, offers: { offered }, steered }: CommentFormOptions): string {
  if (offered.includes('steer') && steered !== undefined) return 'What should be different in it…';
  if (offered.includes('steer')) return 'Use a retry with backoff instead…';
  if (page === 'issues') return offered.includes('run') ? '/run …' : '';
  return '/status';
}

function commandList({ offers, approval }: Pick<CommentFormOptions, 'offers' | 'approval'>): Html {
  const { offered, despite = [] } = offers;
  const isHere = (name: CommandName) => offered.includes(name) || (name === 'approve' && despite.length > 0);
  const here = commandNames.filter(isHere);
  const later = commandNames.filter((name) => !isHere(name));
  const list = (names: readonly CommandName[], isPossible: boolean) =>
    html`<dl class="commands${!isPossible && ' unavailable'}">${names.map((name) =>
      commandEntry(name, isPossible, requirement(name, approval)),
    )}</dl>`;
  return html`${list(here, true)}
${later.length > 0 && html`<p class="muted">Not available now:</p>${list(later, false)}`}`;
}

function requirement(name: CommandName, approval: ApprovalSettings | null): string {
  if (name !== 'approve') return `${commandSpecs[name].needs} access`;
  return approval === null ? 'what approval.by in the configuration says' : requirementOf(name, { approval });
}

function commandEntry(name: CommandName, isPossible: boolean, requirement: string): Html {
  const { usage, summary } = commandSpecs[name];
  const insert = html`<button type="button" class="small" data-insert="/${name} "
 aria-label="Insert /${name}">Insert</button>`;
  return html`<div id="command-${name}"><dt><code>${usage}</code>${isPossible && insert}</dt>
<dd>${summary.replaceAll('`', '')} <span class="muted">Requires ${requirement}.</span></dd></div>`;
}
