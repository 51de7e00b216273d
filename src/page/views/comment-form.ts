import type { CommandName } from '../../steering/commands/index.ts';
import { commandNames, commandSpecs } from '../../steering/commands/index.ts';
import { requirementOf } from '../../steering/policy.ts';
import type { ApprovalSettings } from '../../steering/settings.ts';
import type { FormInput } from '../form-input.ts';
import { type Html, html } from '../html.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { details } from './components.ts';

interface CommentFormOptions {
  readonly route: IssueRoute;
  /** The commands available now. */
  readonly possible: readonly CommandName[];
  /** Whose approval counts; null where there is no run whose configuration is known. */
  readonly approval: ApprovalSettings | null;
  readonly input: FormInput | null;
}

/** Posts any comment or command as the person. */
export function commentForm({ route, possible, approval, input }: CommentFormOptions): Html {
  const text = input !== null && (input.command === '' || input.command === 'steer') ? input.text : '';
  const canSteer = possible.includes('steer');
  return html`<form class="comment-form" method="post" action="${pathOf(route, 'comment')}"
 data-commands="${['coxswain', ...commandNames].join(' ')}">
<label for="comment-text">${canSteer ? 'Steer in plain language, or enter a command' : 'Comment, or enter a command'}</label>
<textarea id="comment-text" name="text" rows="4" required aria-describedby="comment-help"
 placeholder="${placeholderOf(route, canSteer)}">${text}</textarea>
<div class="buttons">
${canSteer && html`<button class="primary" name="command" value="steer" data-label="Steer">Steer</button>`}
<button name="command" value=""${!canSteer && html` class="primary"`}>Comment</button>
<span id="comment-help" class="muted">Ctrl+Enter posts it.</span>
</div>
</form>
${details({ id: 'all-commands', summary: 'All commands' }, commandList({ possible, approval }))}`;
}

function placeholderOf({ page }: IssueRoute, canSteer: boolean): string {
  if (canSteer) return 'Use a retry with backoff instead…';
  return page === 'issues' ? '/run …' : '/status';
}

function commandList({ possible, approval }: Pick<CommentFormOptions, 'possible' | 'approval'>): Html {
  const now = commandNames.filter((name) => possible.includes(name));
  const later = commandNames.filter((name) => !possible.includes(name));
  const list = (names: readonly CommandName[], isPossible: boolean) =>
    names.map((name) => commandEntry(name, { isPossible, requirement: requirement(name, approval) }));
  const entries = html`<dl class="commands">${list(now, true)}</dl>`;
  if (later.length === 0) return entries;
  return html`${entries}<p class="muted">Not available now:</p>
<dl class="commands unavailable">${list(later, false)}</dl>`;
}

function requirement(name: CommandName, approval: ApprovalSettings | null): string {
  if (name !== 'approve') return `${commandSpecs[name].needs} access`;
  return approval === null ? 'what approval.by in the configuration says' : requirementOf(name, approval);
}

interface Entry {
  readonly isPossible: boolean;
  readonly requirement: string;
}

function commandEntry(name: CommandName, { isPossible, requirement }: Entry): Html {
  const { usage, summary } = commandSpecs[name];
  const insert = html`<button type="button" class="small" data-insert="/${name} "
 aria-label="Insert /${name}">Insert</button>`;
  return html`<div id="command-${name}"><dt><code>${usage}</code>${isPossible && insert}</dt>
<dd>${summary.replaceAll('`', '')} <span class="muted">Requires ${requirement}.</span></dd></div>`;
}
