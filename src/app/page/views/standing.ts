import { visible } from '../../../github/words/index.ts';
import type { PauseReason } from '../../../steering/standing.ts';
import type { State } from '../../../steering/state.ts';
import { type Html, html } from '../html.ts';
import { section, time } from './parts.ts';

/** Why the run stands where it stands, when its phase alone does not say. */
export function standingSection({ standing }: State): Html | false {
  switch (standing.phase) {
    case 'awaiting_resolution':
      return because('Why it needs a human', words(standing.interrupt.failure_reason));
    case 'paused':
      return because('Why it is paused', html`<p>${pauses[standing.why]}</p>`);
    case 'rejected':
      return because(`Rejected by ${standing.by}`, words(standing.reason));
    case 'cancelled':
      return because(`Cancelled${standing.by === null ? '' : ` by ${standing.by}`}`, words(standing.reason));
    case 'timed_out':
      return because('Nobody came in time', html`<p>It waited until ${time(standing.before.deadline)}.</p>`);
    case 'failed':
      return because(
        'A fault of Coxswain itself',
        html`${words(standing.what)}<p>The log has it under <code>${standing.reference}</code>.</p>`,
      );
    case 'queued':
    case 'working':
    case 'verifying':
    case 'awaiting_approval':
    case 'approved':
    case 'done':
      return false;
  }
}

const pauses: { readonly [R in PauseReason]: string } = {
  branch_deleted: 'The branch was deleted; restore it before you resume.',
  reopened: 'The pull request was opened again after the run had ended.',
  ledger_lost: "The run's ledger is lost; approvals are void.",
  ledger_restored: "The run's ledger was lost and is restored from the pull request; approvals are void.",
};

function because(title: string, content: Html): Html {
  return section('because', title, content);
}

/** Words of agents, verifiers and people, as they wrote them. */
function words(text: string): Html {
  return html`<p class="as-written">${visible(text)}</p>`;
}
