import type { CommandName } from '../../steering/commands/index.ts';
import { commandSpecs } from '../../steering/commands/index.ts';
import type { State } from '../../steering/state.ts';
import { possibleIn } from '../../steering/table.ts';
import type { FormInput } from '../form-input.ts';
import { type Html, html } from '../html.ts';
import { type IssueRoute, pathOf } from '../routes.ts';
import { details } from './components.ts';

/** The commands available now, as buttons; each posts an ordinary comment. */
export function commandButtons(route: IssueRoute, state: State, input: FormInput | null): Html | false {
  const possible = possibleIn(state);
  const offered = oneClick.filter(({ name }) => possible.includes(name));
  const primary = primaryCommand(possible, state);
  const ending = possible.filter((name) => name === 'reject' || name === 'cancel');
  if (offered.length + ending.length === 0) return false;
  const buttons = offered.map((command) => ({
    ...command,
    text: textFor(command.name, state),
    isPrimary: command.name === primary,
  }));
  return html`<div class="command-buttons">${buttons.map((button) => buttonForm(route, button))}</div>
${ending.includes('reject') && rejectForm(route, input)}
${ending.includes('cancel') && cancelForm(route)}`;
}

const oneClick: readonly { readonly name: CommandName; readonly label: string }[] = [
  { name: 'approve', label: 'Approve' },
  { name: 'allow', label: 'Allow once' },
  { name: 'deny', label: 'Deny' },
  { name: 'resume', label: 'Resume' },
  { name: 'retry', label: 'Try again' },
  { name: 'verify', label: 'Verify again' },
];

/** The highlighted command; approving only while the run waits for nothing else. */
function primaryCommand(possible: readonly CommandName[], { standing }: State): CommandName | undefined {
  const isStuck = standing.phase === 'awaiting_resolution';
  const suggested: readonly CommandName[] = [...(isStuck ? [] : ['approve' as const]), 'resume', 'retry'];
  return suggested.find((name) => possible.includes(name));
}

/** An approval names the commit that was shown with the button. */
function textFor(name: CommandName, state: State): string {
  return name === 'approve' ? (state.shown?.head_sha ?? state.head).slice(0, 12) : '';
}

interface CommandButton {
  readonly name: CommandName;
  readonly label: string;
  readonly text: string;
  readonly isPrimary: boolean;
}

function buttonForm(route: IssueRoute, { name, label, text, isPrimary }: CommandButton): Html {
  const commit = text !== '' && html` <code>${text.slice(0, 7)}</code>`;
  return html`<form method="post" action="${pathOf(route, 'comment')}" id="button-${name}">
<input type="hidden" name="command" value="${name}"><input type="hidden" name="text" value="${text}">
<button${isPrimary && html` class="primary"`}
 title="${commandSpecs[name].summary}">${label}${commit}</button></form>`;
}

function rejectForm(route: IssueRoute, input: FormInput | null): Html {
  const reason = input?.command === 'reject' ? input.text : '';
  return details(
    { id: 'reject', summary: 'Reject…', open: reason !== '' },
    html`<form method="post" action="${pathOf(route, 'comment')}">
<input type="hidden" name="command" value="reject">
<label for="reason">Reason (shown on the pull request and kept in the ledger)</label>
<textarea id="reason" name="text" rows="2" required>${reason}</textarea>
<button class="danger">Reject and close</button></form>`,
  );
}

function cancelForm(route: IssueRoute): Html {
  return details(
    { id: 'cancel', summary: 'Cancel…' },
    html`<form method="post" action="${pathOf(route, 'comment')}">
<input type="hidden" name="command" value="cancel">
<p>${commandSpecs.cancel.summary}</p>
<button class="danger">Cancel the run</button></form>`,
  );
}
