import { type Html, html } from '../html.ts';
import { triggerLabel } from '../load/overview.ts';
import { pathOf, type ThreadPlace } from '../routes.ts';
import { fold } from './components.ts';

/** Two ways to start a run: the label, or `/run` with words of one's own. */
export function runForms(place: ThreadPlace, labelled: boolean): Html {
  return html`${labelled ? runAgain(place) : startButton(place)}${runBox(place)}`;
}

function startButton(place: ThreadPlace): Html {
  return html`<form method="post" action="${pathOf(place, 'label')}">
<button class="first" title="Adds the label ${triggerLabel}">Start a run</button></form>`;
}

/** The label is there, so adding it would start nothing. */
function runAgain(place: ThreadPlace): Html {
  return html`<form method="post" action="${pathOf(place, 'comment')}">
<input type="hidden" name="command" value="run">
<button title="The issue has the label ${triggerLabel} already, so this says /run">Say /run</button></form>`;
}

function runBox(place: ThreadPlace): Html {
  const id = `task-${place.owner}-${place.repo}-${place.number}`;
  return fold(
    { id: `write-${id}`, summary: 'Run with words of your own' },
    html`<form method="post" action="${pathOf(place, 'comment')}">
<input type="hidden" name="command" value="run">
<label for="${id}">What the agent is to do</label>
<textarea id="${id}" name="text" rows="3" required></textarea>
<button>Say /run</button>
</form>`,
  );
}
