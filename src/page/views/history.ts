import { type Html, html } from '../../html/html.ts';
import { time } from '../../html/time.ts';
import type { LedgerLog } from '../../ledger/log.ts';
import { ownNote } from '../../steering/decide.ts';
import { visible } from '../../text/visible.ts';
import { table } from './components.ts';

const maxShown = 200;

/**
 * What has happened, newest first, as Git keeps it, but for what the run notes for itself; and how anyone
 * with a clone reads it.
 */
export function history({ ref, commits, omitted }: LedgerLog): Html {
  const told = commits.flatMap(({ at, subject }, index) =>
    subject === ownNote ? [] : [eventRow(visible(subject), at, omitted + index + 1)],
  );
  const shown = told.slice(-maxShown).toReversed();
  const older = told.length - shown.length + omitted;
  return html`<p id="record">Every step of this run is a commit in the repository, under <code>${ref}</code>.
No database has it; whoever can clone the repository can read it:</p>
<pre tabindex="0" aria-label="How to read it">git fetch origin ${ref}
git log --reverse --format=%s FETCH_HEAD</pre>
${table('What happened, newest first', ['what happened', 'when'], shown)}
${older > 0 && html`<p class="muted">There are ${older} older ones.</p>`}`;
}

function eventRow(subject: string, at: string, number: number): Html {
  return html`<tr id="event-${number}"><td class="prompt">${subject}</td><td class="when">${time(at)}</td></tr>`;
}
