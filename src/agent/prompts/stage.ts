import { isPlanning, stageAfter, stageOf, stagesOf } from '../../steering/iterations/stage.ts';
import type { State } from '../../steering/state/state.ts';
import { planFile } from '../port/stages.ts';
import type { Given } from './given.ts';
import { steeringClosing } from './steering.ts';
import { delimited, paragraphs, quoted, section } from './text.ts';

/** What an agent is told of the stage that it is, of the one before it and of the plan. */

/** The plan to follow, or the one that this stage is to better; null if there is none. */
export function planText(state: State): string | null {
  if (state.plan === undefined) return null;
  const text = delimited('PLAN CONTENT', quoted(state.plan.text));
  return isPlanning(state)
    ? section('### The Plan So Far', text)
    : section('### Plan', paragraphs(text, following));
}

const following =
  'An earlier stage made this plan for the task. Follow it in what belongs to your stage, unless feedback says otherwise; ' +
  'where it turns out to be wrong, do what the task needs, and say so in your report.';

/** Which of several stages this is, and what the configuration tells it; null where neither is so. */
export function stageText({ settings, stage }: State, { stage: told = '' }: Given): string | null {
  const names = stagesOf(settings).map(({ name }) => name);
  const { name } = stageOf({ settings, ...(stage !== undefined && { stage }) });
  const place =
    names.length > 1 &&
    `The work is done in stages: ${names.join(', ')}. Yours is \`${name}\`: do what belongs to it, and leave the rest to the others.`;
  return section('### Your Stage', paragraphs(place, quoted(told)));
}

export const planRule =
  `Write a plan for this task; others carry it out. Change no file but \`${planFile}\` at the top of the working ` +
  'tree: whatever else you change is dropped. Write the plan there, or leave that file out and make the plan your ' +
  'last message. Say which files are to change and how, in which order, and what could go wrong.';

/** What its stage itself has to come to, where the configuration wants something. */
export function checkRule(state: State): string {
  const { checks = [] } = stageOf(state);
  const wanted = checks.map((check) =>
    'file' in check ? `there has to be \`${check.file}\`` : `\`${check.run}\` has to ${check.expect}`,
  );
  return wanted.length === 0 ? '' : `When you have finished, your stage is checked: ${wanted.join('; ')}.`;
}

/** A stage that is not the last is not to make the verifiers pass. */
export function whenVerified(state: State): string {
  if (isPlanning(state)) return 'When the plan is carried out,';
  return stageAfter(state, stageOf(state)) === undefined ? 'Afterwards' : 'After the last stage,';
}

/** The last words to an agent that was steered. */
export function steeredClosing(state: State): string {
  return isPlanning(state) && state.plan !== undefined
    ? 'Address the feedback above: improve the plan so far rather than start over, and write out the whole plan again.'
    : steeringClosing;
}
