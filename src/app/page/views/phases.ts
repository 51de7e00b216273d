import type { Phase } from '../../../steering/standing.ts';
import { type Html, html } from '../html.ts';

/** What a phase asks of the person who looks: to decide, to wait, or nothing any more. */
export type Attention = 'waits' | 'moves' | 'good' | 'over' | 'broken';

const attentions: { readonly [P in Phase]: Attention } = {
  queued: 'moves',
  working: 'moves',
  verifying: 'moves',
  awaiting_approval: 'waits',
  awaiting_resolution: 'waits',
  paused: 'waits',
  timed_out: 'waits',
  approved: 'good',
  done: 'good',
  rejected: 'over',
  cancelled: 'over',
  failed: 'broken',
};

/** A phase read from somebody else's text may be none of ours. */
export function attentionOf(phase: Phase): Attention {
  return attentions[phase] ?? 'over';
}

export function phaseBadge(phase: Phase): Html {
  return html`<span class="badge phase ${attentionOf(phase)}">${phase.replaceAll('_', ' ')}</span>`;
}
