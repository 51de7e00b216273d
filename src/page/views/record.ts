import type { LedgerLog } from '../../ledger/log.ts';
import { visible } from '../../text/visible.ts';
import { type Html, html } from '../html.ts';
import type { Loaded } from '../load/loaded.ts';
import { section, whenLoaded } from './components.ts';

/** What Git keeps of a run that is approved or has ended, and how anyone with a clone reads it. */
export function recordSection(record: Loaded<LedgerLog> | null): Html | null {
  if (record === null) return null;
  return section('record', 'The record', whenLoaded(record, recordText));
}

function recordText({ ref, subjects, omitted }: LedgerLog): Html {
  return html`<p>Every step of this run is a commit in the repository, under <code>${ref}</code>.
No database has it; whoever can clone the repository can read it:</p>
<pre tabindex="0" aria-label="How to read it">git fetch origin ${ref}
git log --reverse --format=%s FETCH_HEAD</pre>
<p>${omitted === 0 ? 'This prints:' : `This prints, after ${omitted} older lines:`}</p>
<pre class="log" tabindex="0" aria-label="The log of the ledger">${visible(subjects.join('\n'))}</pre>`;
}
