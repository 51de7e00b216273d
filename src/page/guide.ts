import { elementId, type Html, html } from '../html/html.ts';
import type { State } from '../steering/state/state.ts';
import { details } from './views/components.ts';

/** Says what can be tried next, from what has really happened; null where it has nothing to say. */
export type Guide = (shown: Shown) => Guidance | null;

/** What a page shows, and what is known of all runs. */
export interface Shown {
  /** The issue or pull request that is shown; null on the overview. */
  readonly at: { readonly owner: string; readonly repo: string; readonly number: number } | null;
  /** The newest state of every run that this process knows. */
  readonly runs: readonly State[];
}

export interface Guidance {
  readonly title: string;
  /** What all of this is, for those who have just come; absent elsewhere. */
  readonly intro?: readonly Words[] | undefined;
  readonly tracks: readonly Track[];
}

/** One thing to try, in steps. */
export interface Track {
  readonly name: string;
  /** Where it is played now. */
  readonly href: string;
  /** Whether this page is about it. */
  readonly isHere: boolean;
  readonly steps: readonly TrackStep[];
  /** What can be done now, or what is going on. */
  readonly now: readonly Words[];
}

export interface TrackStep {
  readonly text: string;
  readonly status: 'done' | 'now' | 'later';
}

/** A part of a sentence is plain text, a link, or something to type. */
export type Words = string | { readonly text: string; readonly href: string } | { readonly type: string };

/** What to try next, above everything else on a page of the demo; it can be collapsed. */
export function guideView({ title, intro, tracks }: Guidance): Html {
  const isAnywhere = tracks.some(({ isHere }) => isHere);
  const shown = isAnywhere ? tracks.filter(({ isHere }) => isHere) : tracks;
  const others = isAnywhere ? tracks.filter(({ isHere }) => !isHere) : [];
  const body = html`${intro !== undefined && html`<p>${intro.map(wordsView)}</p>`}
<div class="tracks">${shown.map(trackView)}</div>${others.length > 0 && otherTracks(others)}`;
  const strip = details({ id: 'guide', summary: title, open: true }, body);
  return html`<section class="guide" aria-label="${title}">${strip}</section>`;
}

function trackView({ name, href, isHere, steps, now }: Track): Html {
  const heading = isHere ? name : html`<a href="${href}">${name}</a>`;
  return html`<div class="track" role="group" id="${elementId(`track-${name}`)}" aria-label="${name}">
<p class="track-name">${heading}</p>
<ol class="track-steps">${steps.map(stepItem)}</ol>
<p class="track-now">${now.map(wordsView)}</p>
</div>`;
}

const marks = { done: '✓', now: '▸', later: '·' } as const;
const spoken = { done: 'done: ', now: 'next: ', later: '' } as const;

function stepItem({ text, status }: TrackStep): Html {
  const current = status === 'now' && html` aria-current="step"`;
  return html`<li class="step-${status}"${current}><span aria-hidden="true">${marks[status]}</span>
<span class="spoken">${spoken[status]}</span>${text}</li>`;
}

function wordsView(words: Words): Html {
  if (typeof words === 'string') return html`${words}`;
  if ('href' in words) return html`<a href="${words.href}">${words.text}</a>`;
  const { type } = words;
  return html`<code${type.includes('\n') && html` class="lines"`}>${type}</code>`;
}

function otherTracks(others: readonly Track[]): Html {
  const links = others.map(({ name, href, steps }) => {
    const done = steps.filter(({ status }) => status === 'done').length;
    return html`<li><a href="${href}">${name}</a> <span class="muted">${done} of ${steps.length} steps</span></li>`;
  });
  return html`<ul class="other-tracks" aria-label="Also to try">${links}</ul>`;
}
