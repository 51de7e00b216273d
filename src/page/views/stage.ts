import { type Html, html } from '../../html/html.ts';
import { markdown } from '../../html/markdown.ts';
import type { State } from '../../steering/state.ts';
import { visible } from '../../text/visible.ts';
import { droppedIn, droppedIntroduction, nextStageText, stageResult } from '../../words/index.ts';
import { stageTitle } from '../../words/phases/awaiting-stage.ts';

/** What a stage came to, for the people who decide whether the next one begins. */
export function stageOnShow(state: State): { readonly title: string; readonly content: Html } {
  const files = droppedIn(state).map((path) => html`<li><code>${visible(path)}</code></li>`);
  return {
    title: stageTitle(state),
    content: html`<p>${nextStageText(state)}</p><div class="prose" id="stage-result">${markdown(stageResult(state))}</div>
${files.length > 0 && html`<p>${droppedIntroduction}</p><ul>${files}</ul>`}`,
  };
}
