import { circleIn } from '../../steering/confidence/verifier-results.ts';
import { currentIteration } from '../../steering/iterations/iteration.ts';
import { sayableIn } from '../../steering/phases/table.ts';
import { either } from '../../steering/phrases/phrases.ts';
import { type Interrupt, isAskingHuman } from '../../steering/shapes/standing.ts';
import type { AttemptRecord, In, State } from '../../steering/state/state.ts';
import { counted } from '../../text/amounts.ts';
import { asItStands, unexcused } from '../parts/approval-texts.ts';
import { closing, fitting, namedText, parkedText } from '../parts/asking-texts.ts';
import { attemptsText, budgetText, failureText, tellsReport } from '../parts/attempt-texts.ts';
import { acting, command, compareLink, remedyForPush, supersededText } from '../parts/common-phrases.ts';
import { evidenceOf, questionText, summaryOf } from '../parts/evidence-texts.ts';
import {
  askedPeople,
  editableTask,
  spawningText,
  spawningTitle,
  waysText,
} from '../parts/resolution-texts.ts';
import {
  cut,
  type Format,
  fenced,
  literal,
  markdown,
  paragraphs,
  plain,
  said,
  sentence,
  timeText,
} from '../parts/sanitize.ts';
import { approveIt, button, type PhaseWords, retry } from './row.ts';

/** What people read of a run that cannot go on without them, or whose task is being replaced. */
export const awaitingResolution: PhaseWords<'awaiting_resolution'> = {
  title: ({ standing }) => (standing.spawning === undefined ? needsHuman : spawningTitle),
  sentence: (state) => said(['It cannot continue without a human', asItStands(state, literal)]).join('; '),
  summary: (state) => {
    const { spawning } = state.standing;
    if (spawning !== undefined) return [spawningText(spawning, state)];
    return [whyText(state), sentence(asItStands(state, markdown))];
  },
  status: (state) => {
    const { interrupt, spawning, deadline } = state.standing;
    return [
      `Why: ${interrupt.failure_reason}`,
      spawning && `Being replaced by: ${counted(spawning.tasks.length, 'new task')}`,
      ...said([asItStands(state, literal)]).map((way) => `Or: ${way}`),
      `Deadline: ${timeText(deadline)}`,
    ];
  },
  missing: (state, format) => {
    if (state.standing.spawning !== undefined)
      return ['the runs of the new tasks, which are being started; this one then ends automatically'];
    return [
      `a person's decision: ${wordsText(state, format)}`,
      ...said([asItStands(state, format)]),
      'nothing proceeds automatically until then',
    ];
  },
  ask: (state, web) => {
    const { spawning } = state.standing;
    if (spawning === undefined) return interruptText(state, web);
    return paragraphs([`### ${spawningTitle}`, spawningText(spawning, state), askedPeople(state)]);
  },
  result: () => 'action_required',
  buttons: (state) =>
    state.standing.spawning !== undefined
      ? []
      : [
          // Where no comment approves, there has to be another way.
          ...(sayableIn(state).includes('approve') ? [] : [approveIt]),
          retry,
          button('spawn', 'New task', 'Replace the failed task'),
          button('abandon', 'Abandon', 'Give the task up and close'),
        ],
  tone: 'warning',
};

const needsHuman = 'Task Requires Human Review';

type Interrupted = In<'awaiting_resolution'>;

function interruptText(state: Interrupted, web: string): string {
  const { interrupt } = state.standing;
  const asking = [
    `### ${needsHuman}`,
    `Task ${plain(state.task.id)} ${stoppedText(state, interrupt)}`,
    whyText(state),
    circleText(state, web),
    wayOnText(state, interrupt),
    remedyText(state),
    sentence(asItStands(state, markdown)),
    budgetText(state),
    // Whoever has changed nothing in one attempt has said above what there is to say.
    (interrupt.type !== 'nothing_changed' || state.attempts.length > 1) && attemptsText(state),
    waysText(state),
    editableTask(state),
  ];
  const known = [
    supersededText(state),
    // The reason or the table is what the agent says.
    interrupt.type !== 'nothing_changed' && !tellsReport(state) && summaryOf(state),
    questionText(state),
    parkedText(state),
    ...evidenceOf(state, web),
  ];
  return fitting(state, web, known, (evidence) => [
    ...asking,
    ...evidence,
    namedText(state),
    ...closing(state, web),
  ]);
}

function whyText(state: Interrupted): string {
  return fenced(cut(failureText(state, state.standing), 8000), 'text');
}

function stoppedText(state: State, interrupt: Interrupt): string {
  if (interrupt.type === 'manual_interrupt')
    return `was interrupted${interrupt.by === undefined ? '' : ` by ${plain(interrupt.by, 60)}`}`;
  if (interrupt.type === 'budget_exceeded') return 'stopped because its budget is used up';
  if (interrupt.type === 'agent_unusable') return 'stopped because its agent cannot work here';
  if (interrupt.type === 'red_before') return 'stopped because what fails was already red before this change';
  if (interrupt.type === 'conflict') return 'stopped because it conflicts with its base';
  if (interrupt.type === 'nothing_changed')
    return 'stopped because its agent finished without a change, and says';
  if (interrupt.type === 'circles') return 'stopped because its attempts go in circles';
  if (interrupt.type === 'unanswered') return 'stopped because nobody answered its agent in time';
  if (hasUsedRetries(state, interrupt)) return `exceeded max retries (${interrupt.retry_count})`;
  return 'stopped because it cannot make progress without a human';
}

/** Says what both attempts of a circle changed, as GitHub shows it. */
function circleText(state: State, web: string): string {
  const circle = circleIn(state);
  if (circle === undefined) return '';
  const { first, again } = circle;
  const links = [first, again].map((record) => {
    const from = headBefore(state, record);
    return `[what attempt ${record.attempt} changed](${compareLink(web, from, record.head)})`;
  });
  return `It goes in circles: compare ${links.join(' with ')}. ${command('steer')} tells the agent what to try instead.`;
}

/** The head that an attempt began with. */
function headBefore(state: State, { attempt }: AttemptRecord): string {
  const before = state.attempts.filter((each) => each.attempt < attempt && each.outcome !== 'failed');
  return before.at(-1)?.head ?? currentIteration(state).head_before;
}

/** Says what a person can say, where the commands alone do not tell what they would come to here. */
function wayOnText({ standing }: State, { type }: Interrupt): string {
  if (type === 'unanswered')
    return `${command('steer')} tells the agent how to continue, and ${command('retry')} lets it try without an answer.`;
  if (type !== 'nothing_changed' || !isAskingHuman(standing)) return '';
  return `If nobody responds by ${timeText(standing.deadline)}, this pull request is closed with that explanation.`;
}

/** A push can be refused by a rule, which is not the agent's to change. */
function remedyText({ attempts, run, settings, standing: { interrupt } }: Interrupted): string {
  const failure = attempts.at(-1)?.failure;
  const ofAttempt = failure?.kind === 'push_refused' ? failure.message : undefined;
  const refusal = interrupt.push_refused ? interrupt.failure_reason : ofAttempt;
  if (refusal === undefined || run.adopted) return '';
  const remedy = remedyForPush(refusal, settings.commits?.sign !== 'off');
  return `If a rule of the repository forbids the push itself: ${remedy}`;
}

/**
 * Whether the last attempt failed with no retry left. The same interrupt is raised for a pushed head that
 * fails, for verifiers that could not run and for lost work.
 */
function hasUsedRetries(
  { attempt, attempts, attempts_used, settings }: State,
  interrupt: Interrupt,
): boolean {
  const last = attempts.at(-1);
  const hasFailed = last?.attempt === attempt && last.outcome !== 'green';
  const isUsedUp = attempts_used >= settings.attempts.max;
  return interrupt.type === 'task_exceeded_retries' && hasFailed && isUsedUp;
}

/** Says what a person can say, with the verifiers that an approval has to name. */
function wordsText(state: State, { name }: Format): string {
  const red = unexcused(state).map((each) => ` --despite ${each}`);
  return either(
    acting(sayableIn(state)).map((each) => name(`/${each}${each === 'approve' ? red.join('') : ''}`)),
  );
}
