import type { Phase } from '../../steering/state.ts';
import { type Html, html } from '../html.ts';

/** How urgent something is to the person who looks: a warning waits for a decision, info is under way. */
export type Tone = 'neutral' | 'info' | 'success' | 'warning' | 'danger';

const tones: { readonly [P in Phase]: Tone } = {
  queued: 'info',
  working: 'info',
  verifying: 'info',
  awaiting_approval: 'warning',
  awaiting_resolution: 'warning',
  paused: 'warning',
  timed_out: 'warning',
  approved: 'success',
  done: 'success',
  rejected: 'neutral',
  cancelled: 'neutral',
  failed: 'danger',
};

/** A phase read from somebody else's text may be none of ours. */
export function toneOf(phase: Phase): Tone {
  return tones[phase] ?? 'neutral';
}

export function phaseBadge(phase: Phase): Html {
  return html`<span class="badge phase tone-${toneOf(phase)}">${phase.replaceAll('_', ' ')}</span>`;
}
