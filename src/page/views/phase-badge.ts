import type { Phase } from '../../steering/standing.ts';
import { type Html, html } from '../html.ts';

/** What something asks of the reader: a warning waits for a decision, info is in progress. */
export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'danger';

const tones: { readonly [P in Phase]: Tone } = {
  queued: 'info',
  working: 'info',
  verifying: 'info',
  awaiting_approval: 'warning',
  awaiting_permission: 'warning',
  awaiting_resolution: 'warning',
  paused: 'warning',
  timed_out: 'warning',
  approved: 'success',
  done: 'success',
  rejected: 'neutral',
  cancelled: 'neutral',
  failed: 'danger',
};

/** A phase that was read from a pull request's body may be unknown. */
export function toneOf(phase: Phase): Tone {
  return tones[phase] ?? 'neutral';
}

export function phaseBadge(phase: Phase): Html {
  return html`<span class="badge phase tone-${toneOf(phase)}">${phase.replaceAll('_', ' ')}</span>`;
}
