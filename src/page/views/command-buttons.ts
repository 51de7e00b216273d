import type { CommandName } from '../../steering/command.ts';
import { commandSpecs } from '../../steering/commands/index.ts';
import type { State } from '../../steering/state.ts';
import { possibleIn } from '../../steering/table.ts';
import { type Html, html } from '../html.ts';
import { pathOf, type ThreadPlace } from '../routes.ts';
import type { Typed } from './comment-form.ts';
import { fold } from './components.ts';

/** What can be said now, as buttons: each posts a comment, and the machine answers it like any other. */
export function actions(place: ThreadPlace, state: State, typed: Typed | null): Html | false {
  const possible = possibleIn(state);
  const plain = quickly.filter(({ name }) => possible.includes(name));
  const first = usual.find((name) => possible.includes(name) && !(name === 'approve' && isStuck(state)));
  const careful = possible.filter((name) => name === 'reject' || name === 'cancel');
  if (plain.length + careful.length === 0) return false;
  const buttons = plain.map((one) => ({
    ...one,
    text: textFor(one.name, state),
    isFirst: one.name === first,
  }));
  return html`<div class="actions">${buttons.map((button) => quickForm(place, button))}</div>
${careful.includes('reject') && rejectForm(place, typed)}
${careful.includes('cancel') && cancelForm(place)}`;
}

const quickly: readonly { readonly name: CommandName; readonly label: string }[] = [
  { name: 'approve', label: 'Approve' },
  { name: 'resume', label: 'Resume' },
  { name: 'retry', label: 'Try again' },
  { name: 'verify', label: 'Verify again' },
];

const usual: readonly CommandName[] = ['approve', 'resume', 'retry'];

/** Approving is possible then, but it is no longer what the page should suggest. */
function isStuck({ standing }: State): boolean {
  return standing.phase === 'awaiting_resolution';
}

/** An approval names the commit that was on show when the button was drawn. */
function textFor(name: CommandName, state: State): string {
  return name === 'approve' ? (state.shown?.head_sha ?? state.head).slice(0, 12) : '';
}

interface Quick {
  readonly name: CommandName;
  readonly label: string;
  readonly text: string;
  /** What is usually said now. */
  readonly isFirst: boolean;
}

function quickForm(place: ThreadPlace, { name, label, text, isFirst }: Quick): Html {
  const commit = text !== '' && html` <code>${text.slice(0, 7)}</code>`;
  return html`<form method="post" action="${pathOf(place, 'comment')}" id="do-${name}">
<input type="hidden" name="command" value="${name}"><input type="hidden" name="text" value="${text}">
<button${isFirst && html` class="first"`}
 title="${commandSpecs[name].summary}">${label}${commit}</button></form>`;
}

function rejectForm(place: ThreadPlace, typed: Typed | null): Html {
  const reason = typed?.command === 'reject' ? typed.text : '';
  return fold(
    { id: 'reject', summary: 'Reject…', open: reason !== '' },
    html`<form method="post" action="${pathOf(place, 'comment')}">
<input type="hidden" name="command" value="reject">
<label for="reason">Why? Later runs of the same task are told.</label>
<textarea id="reason" name="text" rows="2" required>${reason}</textarea>
<button class="stop">Reject and close</button></form>`,
  );
}

function cancelForm(place: ThreadPlace): Html {
  return fold(
    { id: 'cancel', summary: 'Cancel…' },
    html`<form method="post" action="${pathOf(place, 'comment')}">
<input type="hidden" name="command" value="cancel">
<p>${commandSpecs.cancel.summary}</p>
<button class="stop">Cancel the run</button></form>`,
  );
}
