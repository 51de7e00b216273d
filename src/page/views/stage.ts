import { nextStageText, stageTitle } from '../../github/words/index.ts';
import { isPlanning } from '../../steering/stages/stage.ts';
import type { State } from '../../steering/state.ts';
import { type Html, html } from '../html.ts';
import { markdown } from '../markdown.ts';

/** What a stage came to, for the people who decide whether the next one begins. */
export function stageOnShow(state: State): { readonly title: string; readonly content: Html } {
  const { plan, report } = state;
  const text = isPlanning(state) ? (plan?.text ?? '') : (report?.summary ?? '');
  const dropped = (isPlanning(state) && plan?.dropped) || [];
  const files = dropped.map((path) => html`<li><code>${path}</code></li>`);
  return {
    title: stageTitle(state),
    content: html`<p>${nextStageText(state)}</p><div class="markdown">${markdown(text)}</div>
${dropped.length > 0 && html`<p>A plan changes no file, so what the agent changed besides was dropped:</p><ul>${files}</ul>`}`,
  };
}
