import { literal, type ProofLine, proofLines } from '../../github/words/index.ts';
import type { Evaluation } from '../../steering/state.ts';
import { type Html, html } from '../html.ts';
import type { Tone } from './phase-badge.ts';

const tones: { readonly [S in ProofLine['speaks']]: Tone } = {
  for: 'success',
  against: 'danger',
  neither: 'neutral',
};

/** What came of running the tests against the base; undefined if that was neither done nor left out. */
export function proof(shown: Evaluation): Html | undefined {
  const lines = proofLines(shown, literal);
  if (lines.length === 0) return undefined;
  const rows = lines.map(
    ({ what, outcome, speaks }) =>
      html`<div><dt>${what}</dt><dd><span class="verdict tone-${tones[speaks]}">${words[speaks]}</span> ${outcome}</dd></div>`,
  );
  return html`<p class="muted">No part of the score: evidence for people, and for the gate on weakened tests.</p>
<dl class="pairs proof">${rows}</dl>`;
}

const words: { readonly [S in ProofLine['speaks']]: string } = {
  for: 'good',
  against: 'look',
  neither: 'fact',
};
