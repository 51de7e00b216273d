import { visible } from '../../github/markdown/visible.ts';
import type { PauseReason } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { type Html, html } from '../html.ts';
import { section, time } from './components.ts';

/** Why the run is in its phase, when the phase alone does not tell. */
export function phaseDetails({ standing }: State): Html | false {
  switch (standing.phase) {
    case 'awaiting_resolution':
      return detailsSection('Why it needs a human', quotation(standing.interrupt.failure_reason));
    case 'paused':
      return detailsSection('Why it is paused', html`<p>${pauses[standing.why]}</p>`);
    case 'rejected':
      return detailsSection(`Rejected by ${standing.by}`, quotation(standing.reason));
    case 'cancelled':
      return detailsSection(
        `Cancelled${standing.by === null ? '' : ` by ${standing.by}`}`,
        quotation(standing.reason),
      );
    case 'timed_out':
      return detailsSection(
        'Timed out',
        html`<p>It waited for a human until ${time(standing.before.deadline)}.</p>`,
      );
    case 'failed':
      return detailsSection(
        'Internal error in Coxswain',
        html`${quotation(standing.what)}<p>Search the log for <code>${standing.reference}</code>.</p>`,
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
  reopened: 'The pull request was reopened after the run had ended.',
  ledger_lost: "The run's ledger was lost; approvals are no longer valid.",
  ledger_restored:
    "The run's ledger was lost and has been restored from the pull request; approvals are no longer valid.",
};

function detailsSection(title: string, content: Html): Html {
  return section('phase-details', title, content);
}

/** Text of agents, verifiers and people, as they wrote it. */
function quotation(text: string): Html {
  return html`<p class="preserve-lines">${visible(text)}</p>`;
}
