import type { CommandName } from '../../steering/commands/index.ts';
import { commandNames, commandSpecs } from '../../steering/commands/index.ts';
import { requirementOf } from '../../steering/policy.ts';
import type { ApprovalSettings } from '../../steering/settings.ts';
import type { FormInput } from '../form-input.ts';
import { type Html, html } from '../html.ts';
import type { Offers } from '../offers.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { details } from './components.ts';

interface CommentFormOptions {
  readonly route: IssueRoute;
  /** The commands that would be accepted here now, and those that are said on GitHub only. */
  readonly offers: OfferedCommands;
  /** Whose approval counts; null where there is no run whose configuration is known. */
  readonly approval: ApprovalSettings | null;
  readonly input: FormInput | null;
}

type OfferedCommands = Pick<Offers, 'offered' | 'onGitHub'> & Partial<Pick<Offers, 'despite'>>;

/** Posts any comment or command as the person. */
export function commentForm({ route, offers, approval, input }: CommentFormOptions): Html {
  const text = input !== null && (input.command === '' || input.command === 'steer') ? input.text : '';
  const canSteer = offers.offered.includes('steer');
  return html`<form class="comment-form" method="post" action="${pathOf(route, 'comment')}"
 data-commands="${['coxswain', ...commandNames].join(' ')}">
<label for="comment-text">${canSteer ? 'Steer in plain language, or enter a command' : 'Comment, or enter a command'}</label>
<textarea id="comment-text" name="text" rows="4" required aria-describedby="comment-help"
 placeholder="${placeholderOf(route, offers)}">${text}</textarea>
<div class="buttons">
${canSteer && html`<button class="primary" name="command" value="steer" data-label="Steer">Steer</button>`}
<button name="command" value=""${!canSteer && html` class="primary"`}>Comment</button>
<span id="comment-help" class="muted by-script">Ctrl+Enter posts it.</span>
</div>
</form>
${details({ id: 'all-commands', summary: 'All commands' }, commandList({ offers, approval }))}`;
}

function placeholderOf({ page }: IssueRoute, { offered }: OfferedCommands): string {
  if (offered.includes('steer')) return 'Use a retry with backoff instead…';
  if (page === 'issues') return offered.includes('run') ? '/run …' : '';
  return '/status';
}

function commandList({ offers, approval }: Pick<CommentFormOptions, 'offers' | 'approval'>): Html {
  const { offered, onGitHub, despite = [] } = offers;
  const isHere = (name: CommandName) => offered.includes(name) || (name === 'approve' && despite.length > 0);
  const here = commandNames.filter(isHere);
  const there = commandNames.filter((name) => onGitHub.includes(name));
  const later = commandNames.filter((name) => !isHere(name) && !onGitHub.includes(name));
  const list = (names: readonly CommandName[], isPossible: boolean) =>
    html`<dl class="commands${!isPossible && ' unavailable'}">${names.map((name) =>
      commandEntry(name, { isPossible, requirement: requirement(name, approval) }),
    )}</dl>`;
  return html`${list(here, true)}
${there.length > 0 && html`<p class="muted">Said on GitHub only:</p>${list(there, false)}`}
${later.length > 0 && html`<p class="muted">Not available now:</p>${list(later, false)}`}`;
}

function requirement(name: CommandName, approval: ApprovalSettings | null): string {
  if (name !== 'approve') return `${commandSpecs[name].needs} access`;
  return approval === null ? 'what approval.by in the configuration says' : requirementOf(name, { approval });
}

function commandEntry(
  name: CommandName,
  { isPossible, requirement }: { readonly isPossible: boolean; readonly requirement: string },
): Html {
  const { usage, summary } = commandSpecs[name];
  const insert = html`<button type="button" class="small" data-insert="/${name} "
 aria-label="Insert /${name}">Insert</button>`;
  return html`<div id="command-${name}"><dt><code>${usage}</code>${isPossible && insert}</dt>
<dd>${summary.replaceAll('`', '')} <span class="muted">Requires ${requirement}.</span></dd></div>`;
}
