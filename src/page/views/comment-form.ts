import type { CommandName } from '../../steering/command.ts';
import { commandNames, commandSpecs } from '../../steering/commands/index.ts';
import { type Html, html } from '../html.ts';
import { pathOf, type ThreadPlace } from '../routes.ts';
import { fold } from './components.ts';

/** What somebody typed that was not taken, so that it is not lost. */
export interface Typed {
  readonly command: string;
  readonly text: string;
}

export interface Composing {
  readonly place: ThreadPlace;
  /** Commands that are answered now. */
  readonly possible: readonly CommandName[];
  readonly typed: Typed | null;
}

/** The box in which everything can be said; it posts a comment in the person's own name. */
export function composer({ place, possible, typed }: Composing): Html {
  const text = typed !== null && (typed.command === '' || typed.command === 'steer') ? typed.text : '';
  const steers = possible.includes('steer');
  return html`<form class="composer" id="composer" method="post" action="${pathOf(place, 'comment')}">
<label for="words">${steers ? 'Steer in plain words, or say a command' : 'Say a command, or comment'}</label>
<textarea id="words" name="text" rows="4" required aria-describedby="words-help"
 placeholder="${placeholderOf(place, steers)}">${text}</textarea>
<div class="buttons">
${steers && html`<button class="first" name="command" value="steer">Steer</button>`}
<button name="command" value=""${!steers && html` class="first"`}>Comment</button>
<span id="words-help" class="quiet">Ctrl+Enter sends.</span>
</div>
</form>
${fold({ id: 'all-commands', summary: 'All that can be said' }, commandList(possible))}`;
}

function placeholderOf({ at }: ThreadPlace, steers: boolean): string {
  if (steers) return 'Use a retry with backoff instead…';
  return at === 'issues' ? '/run …' : '/status';
}

function commandList(possible: readonly CommandName[]): Html {
  const now = commandNames.filter((name) => possible.includes(name));
  const later = commandNames.filter((name) => !possible.includes(name));
  const entries = html`<dl class="commands">${now.map((name) => commandEntry(name, true))}</dl>`;
  if (later.length === 0) return entries;
  return html`${entries}<p class="quiet">Not now:</p>
<dl class="commands later">${later.map((name) => commandEntry(name, false))}</dl>`;
}

function commandEntry(name: CommandName, isPossible: boolean): Html {
  const { usage, summary, needs } = commandSpecs[name];
  const write = html`<button type="button" class="small" data-insert="/${name} "
 aria-label="Write /${name}">Write</button>`;
  return html`<div id="command-${name}"><dt><code>${usage}</code>${isPossible && write}</dt>
<dd>${summary.replaceAll('`', '')} <span class="quiet">Takes ${needs}.</span></dd></div>`;
}
