import { elementId, html, type Html } from '../../html/html.ts';
import { time } from '../../html/time.ts';
import type { FinishFacts } from '../../steering/approval/finish-facts.ts';
import type { FoundReview } from '../../steering/attempt-result.ts';
import type { CheckReport } from '../../steering/ci/check-report.ts';
import { commandText } from '../../steering/commands/index.ts';
import type { Event, EventOf, EventType } from '../../steering/event.ts';
import type { ParkReason } from '../../steering/parking/parked.ts';
import { shortSha } from '../../steering/phrases/short-sha.ts';
import type { Source } from '../../steering/source.ts';
import type { TimerKind } from '../../steering/standing.ts';
import type { Dependency } from '../../steering/task.ts';
import { counted } from '../../text/amounts.ts';
import { shortened } from '../../text/cut.ts';
import { visible } from '../../text/visible.ts';
import { scoreText } from '../../words/index.ts';
import { dependencyStates, table } from './components.ts';

const maxEvents = 200;

/** The events in the ledger, newest first. */
export function history(events: readonly Event[]): Html {
  if (events.length === 0) return html`<p class="muted">The ledger has no events.</p>`;
  const told = toldEvents(events);
  const shown = told.slice(-maxEvents).toReversed();
  const rows = shown.map(
    ({
      event,
      sentence,
    }) => html`<tr id="${elementId(`event-${event.id}`)}"><td class="prompt">${visible(sentence)}</td>
<td class="when">${time(event.at)}</td><td><code>${event.type}</code></td></tr>`,
  );
  const older = told.length - shown.length;
  return html`${table('Events, newest first', ['what happened', 'when', 'type'], rows)}
${older > 0 && html`<p class="muted">${older} older events are in the ledger.</p>`}`;
}

/** The events in sentences, but for what the ledger notes for itself: that something was said or drawn. */
export function toldEvents(events: readonly Event[]) {
  return events.flatMap((event, index) => {
    const sentence = sentenceFor(event, events.slice(0, index));
    return sentence === undefined ? [] : [{ event, sentence }];
  });
}

/** What came before says what exactly has started. */
function sentenceFor(event: Event, before: readonly Event[]): string | undefined {
  if (event.type === 'sealed' || (event.type === 'settled' && event.impossible === undefined))
    return undefined;
  if (event.type === 'attempt_started') return startedText(event, before);
  const sentence = sentences[event.type];
  // The entry was found by this event's own type; TypeScript cannot follow that through the table.
  return (sentence as (event: Event) => string)(event);
}

/** The same event begins an attempt, a verification, and the push of work that was allowed. */
function startedText({ hold, head }: EventOf<'attempt_started'>, before: readonly Event[]): string {
  const { iteration, attempt } = hold;
  const result = before.findLast(
    (each) =>
      (each.type === 'work_finished' || each.type === 'work_held') &&
      each.hold.iteration === iteration &&
      each.hold.attempt === attempt &&
      (hold.stage === undefined || each.hold.stage === hold.stage),
  );
  if (result?.type === 'work_held') return 'The allowed work goes to the branch';
  if (result !== undefined || attempt === 0) return `The verifiers started on ${shortSha(head)}`;
  const stage = hold.stage === undefined ? '' : `, stage ${hold.stage},`;
  return `Attempt ${attempt} of iteration ${iteration}${stage} started`;
}

type Told = Exclude<EventType, 'attempt_started' | 'sealed'>;

const sentences: { readonly [T in Told]: (event: EventOf<T>) => string } = {
  run_started: ({ by, task, replaces, on = [] }) => {
    const instead = replaces === undefined ? '' : `, in place of #${replaces.number}`;
    const waits = on.length === 0 ? '' : `; it depends on: ${dependenciesText(on)}`;
    return `${by.login} started the run: ${task.title}${instead}${waits}`;
  },
  said: ({ by, command, source }) => `${by.login} ${saidHow[source.from]} ${commandText(command)}`,
  comment_changed: ({ by, text }) => `${by} ${text === null ? 'removed' : 'edited'} a comment`,
  spoke: ({ by, how }) => `${by.login} ${how} words that are no command`,
  review_dismissed: ({ by }) => `${by} dismissed a review`,
  work_finished: ({ work, hold }) =>
    work.plan === undefined
      ? `The agent finished${hold.stage === undefined ? '' : ` the stage ${hold.stage}`}: ${work.changes.summary}`
      : `The agent finished a plan: ${firstLine(work.plan.text)}`,
  work_held: ({ work, hits }) =>
    `The agent finished: ${work.changes.summary}; held by ${hits.map(({ rule }) => rule).join(', ')}`,
  undone: ({ head }) => `The files are as in an earlier iteration again, at ${shortSha(head)}`,
  ci_started: ({ head }) => `CI may run on ${shortSha(head)}`,
  work_failed: ({ failure }) => `The attempt failed: ${failure.message}`,
  verified: ({ verifiers, review }) =>
    `The verifiers finished: ${verdictText(verifiers)}${review === undefined ? '' : `; ${opinionText(review)}`}`,
  checks_reported: ({ checks }) => `GitHub named the checks of CI: ${checksText(checks)}`,
  base_moved: ({ base_sha, commits }) =>
    `The base has moved by ${counted(commits, 'commit')}, to ${shortSha(base_sha)}`,
  base_merged: ({ base_sha }) => `The base at ${shortSha(base_sha)} was merged into the branch`,
  dependencies_read: ({ on }) => `What it depends on: ${dependenciesText(on)}`,
  relinked: ({ from, to }) =>
    `Instead of ${numbersText(from)} it depends on ${numbersText(to)}, which took its place`,
  spawned: ({ made, refused }) =>
    refused === undefined
      ? `Its place was taken by ${madeText(made)}`
      : `The new task ${refused.name} could not be started: ${refused.why}${made.length > 0 ? `; there already: ${madeText(made)}` : ''}`,
  permission_requested: ({ call }) => `The agent asked whether it may: ${call.command ?? call.title}`,
  permission_lapsed: ({ because }) =>
    because === 'timeout'
      ? 'Nobody answered the agent in time, so it went on without'
      : 'The agent no longer asks',
  question_asked: ({ asked }) => `The agent asked: ${asked.question}`,
  question_withdrawn: () => 'The agent no longer wants to know',
  work_parked: ({ because, left }) =>
    `The agent was stopped ${parkedBecause[because]}; ${left === null ? 'it had changed nothing' : `${shortSha(left.head)} keeps what it had done`}`,
  steer_told: ({ how }) =>
    how === 'unable'
      ? 'The agent could not be told any more'
      : 'The agent was told in the middle of its work',
  hold_lost: ({ hold }) => `Attempt ${hold.attempt} was lost: the process running it stopped`,
  pushed: ({ by, forced, head }) => `${by} ${forced ? 'force-pushed' : 'pushed'} ${shortSha(head)}`,
  branch_deleted: ({ by }) => `${by} deleted the branch`,
  closed: ({ by, merged }) => `${by} ${merged ? 'merged' : 'closed'} the pull request`,
  reopened: ({ by }) => `${by} reopened the pull request`,
  timer_due: ({ timer }) => dueText[timer],
  finish_checked: ({ facts }) => `What was approved was compared with GitHub once more: ${factsText(facts)}`,
  retargeted: ({ by, base }) => `${by} changed the base to ${base}`,
  run_failed: ({ what, reference, because }) =>
    `${because === 'configuration' ? 'The run stopped' : 'Internal error in Coxswain'}: ${what} (${reference})`,
  settled: ({ impossible = [] }) =>
    `GitHub refused something that was to be said: ${impossible.map(({ reason }) => reason).join('; ')}`,
};

const dueText: { readonly [K in TimerKind]: string } = {
  review: 'Nobody answered before the deadline',
  reminder: 'People were reminded',
  proceed: 'The time to say something is over',
  checks: 'The checks of CI did not end in time',
  question: 'Nobody answered the agent before the deadline',
  rate_limit: 'The wait for the model is over',
};

const parkedBecause: { readonly [R in ParkReason]: string } = {
  question: 'until somebody answers it',
  permission: 'until somebody decides about its tool call',
  rate_limit: 'until its model answers again',
  stopped: 'before it had finished',
  failed: 'because it failed',
};

function checksText(checks: readonly CheckReport[]): string {
  const each = checks.map(({ name, conclusion, status }) => `${name} ${conclusion ?? status}`);
  return each.length === 0 ? 'there are none yet' : each.join(', ');
}

const saidHow: { readonly [F in Source['from']]: string } = {
  comment: 'posted',
  review: 'said in a review',
  click: 'clicked on a button, which says',
  dispatch: 'started the workflow with',
};

function factsText({ approvals, head_sha }: FinishFacts): string {
  const fallen = approvals.filter(({ stands }) => !stands);
  const head = `the head is ${shortSha(head_sha)}`;
  if (fallen.length === 0) return `${head}, and every approval stands`;
  return `${head}, and an approval no longer stands: ${fallen.map(({ why }) => why).join('; ')}`;
}

function firstLine(text: string): string {
  return shortened(text.trim().split('\n', 1)[0] ?? '', 100);
}

function dependenciesText(on: readonly Dependency[]): string {
  return on.map(({ number, is }) => `#${number} is ${dependencyStates[is][0]}`).join('; ');
}

function opinionText({ by, confidence, concerns }: FoundReview): string {
  return confidence === null
    ? `${by} gave no second opinion that counts`
    : `the second opinion of ${by} is ${scoreText(confidence)}, with ${counted(concerns.length, 'concern')}`;
}

function numbersText(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(', ');
}

function madeText(made: EventOf<'spawned'>['made']): string {
  return made.map(({ name, number }) => `#${number} (${name})`).join(', ');
}

function verdictText(verifiers: EventOf<'verified'>['verifiers']): string {
  if (verifiers.length === 0) return 'none is configured';
  return verifiers
    .map(({ name, success, required }) =>
      success ? `${name} passed` : `${name} failed${required ? '' : ' (not required)'}`,
    )
    .join(', ');
}
