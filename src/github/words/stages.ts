import { isPlanning, stageAfter, stageOf, stagesOf } from '../../steering/stages/stage.ts';
import type { State } from '../../steering/state.ts';
import { code, type Part, plain, quoted, under } from './sanitize.ts';

/** What people read of the stages of an attempt. */

export function stageTitle(state: State): string {
  return isPlanning(state)
    ? 'A plan waits for approval'
    : `The stage ${stageOf(state).name} waits for approval`;
}

/** What a stage came to, and what an approval of it means. */
export function stageSummary(state: State): readonly Part[] {
  const { plan, report } = state;
  const isPlan = isPlanning(state);
  const text = isPlan ? (plan?.text ?? '') : (report?.summary ?? '');
  return [
    nextStageText(state),
    isPlan ? 'The plan:' : text.trim() !== '' && 'The agent says of its work:',
    text.trim() !== '' && quoted(text, longestText),
    isPlan && droppedText(state),
  ];
}

/** Longer ones are in the ledger; with all else, a comment holds no more. */
const longestText = 20_000;

/** What the approval of a stage brings about, and what it does not. */
export function nextStageText(state: State): string {
  const following = stageAfter(state, stageOf(state))?.name ?? 'next stage';
  return `When it is approved, the stage ${following} begins. That approves no code: the work is shown again when it is done.`;
}

function droppedText({ plan }: State): string {
  const dropped = plan?.dropped ?? [];
  if (dropped.length === 0) return '';
  return under(
    'A plan changes no file, so what the agent changed besides was dropped:',
    dropped.slice(0, maxListed).map((path) => `- ${code(path)}`),
  );
}

const maxListed = 20;

/** Which stage is at work, for a sentence about the attempt; empty where there is only one. */
export function ofStage({ settings, stage }: Pick<State, 'settings' | 'stage'>): string {
  if (stagesOf(settings).length < 2) return '';
  return `, stage ${plain(stageOf({ settings, ...(stage !== undefined && { stage }) }).name)}`;
}
