import { generallyAdmitted } from '../../steering/approval/approval-needs.ts';
import { isPlanning, planStage, stageAfter, stageOf } from '../../steering/iterations/iteration.ts';
import type { State } from '../../steering/state/state.ts';
import { approvingText, isOpenToRoles, whoText } from '../parts/approval-texts.ts';
import { closing } from '../parts/asking-texts.ts';
import { commandList } from '../parts/common-phrases.ts';
import {
  code,
  cut,
  firstLines,
  markdown,
  type Part,
  paragraphs,
  quoted,
  timeText,
  under,
} from '../parts/sanitize.ts';
import { button, type PhaseWords, reject } from './row.ts';

/** What people read of a stage that has ended, before the next one begins. */
export const awaitingStage: PhaseWords<'awaiting_stage'> = {
  title: stageTitle,
  summary: (state) => stageSummary(state, 'check'),
  status: (state) => [nextStageText(state), `Deadline: ${timeText(state.standing.deadline)}`],
  missing: (state, format) => {
    const who = whoText(generallyAdmitted(state.settings.approval.by), format);
    return [
      `${approvingText(state) || format.name('/approve')} by ${who}, or a steer, until ${timeText(state.standing.deadline)}`,
      `the stage ${stageOf(state).name} is under review, and the next one begins once it is approved`,
    ];
  },
  ask: (state, web) => {
    const { by } = state.settings.approval;
    return paragraphs([
      `### ${stageTitle(state)}`,
      ...stageSummary(state, 'comment'),
      !isOpenToRoles(by) && `It can be approved by ${whoText(generallyAdmitted(by), markdown)}.`,
      commandList(state),
      ...closing(state, web),
    ]);
  },
  result: () => 'action_required',
  buttons: () => [button('approve', 'Approve', 'Let the next stage begin'), reject],
  awaits: 'approve',
  tone: 'warning',
  unlanded: 'waits for approval',
};

function stageTitle(state: State): string {
  return isPlanning(state) ? 'A plan waits for approval' : `The ${stageWord(state)} waits for approval`;
}

/** Says what people approve or steer: `plan`, `stage tests`. */
export function stageWord(state: State): string {
  return isPlanning(state) ? planStage : `stage ${stageOf(state).name}`;
}

/** Longer ones are in the ledger: a comment and a check hold no more beside all else. */
const longestText = { comment: 20_000, check: 8_000 };

/** Says what a stage came to, and what an approval of it means. */
function stageSummary(state: State, on: keyof typeof longestText): readonly Part[] {
  const text = stageResult(state);
  const max = longestText[on];
  return [
    nextStageText(state),
    text !== '' && (isPlanning(state) ? 'The plan:' : 'In the words of the agent:'),
    text !== '' && quoted(text, max),
    cut(text, max) !== text && wholeText(state),
    droppedFilesText(state),
  ];
}

/** The plan, or else what the agent says of its work; may be empty. */
export function stageResult(state: State): string {
  const { plan, report } = state;
  return ((isPlanning(state) ? plan?.text : report?.summary) ?? '').trim();
}

/** Says where the rest is of what is too long to be shown. */
function wholeText(state: State): string {
  const { plan, run, iteration, attempt } = state;
  const isPlan = isPlanning(state) && plan !== undefined;
  const path = isPlan
    ? `${plan.iteration}/${plan.attempt}/plan/plan.md`
    : `${iteration}/${attempt}/${stageOf(state).name}/reasoning.md`;
  const show = `git fetch origin refs/coxswain/open/${run.number} && git show FETCH_HEAD:iterations/${path}`;
  return `This is only the beginning. The ledger has all of it: ${code(show)} shows it.`;
}

/** Says what the approval of a stage brings about, and what it does not. */
export function nextStageText(state: State): string {
  const following = stageAfter(state, stageOf(state));
  const what = following === undefined ? 'the next stage' : `the stage ${following.name}`;
  return `Approving it starts ${what}. This does not approve any code: the finished work is decided on later, as usual.`;
}

/** Files that the agent changed although it was to plan. */
export function droppedFilesText(state: State): string {
  const dropped = isPlanning(state) ? (state.plan?.dropped ?? []) : [];
  const lines = firstLines(dropped, maxListed, (path) => `- ${code(path)}`);
  return under('A plan changes no files, so everything else that the agent changed was dropped:', lines);
}

const maxListed = 20;
