import { raiseText as moreText, operatorAllows, resetText } from '../../steering/commands/budget.ts';
import { currentIteration } from '../../steering/iterations/iteration.ts';
import { limitsOf, spentBefore, spentOf } from '../../steering/iterations/spending.ts';
import { isInProgress } from '../../steering/phases/table.ts';
import type { Cost } from '../../steering/shapes/attempt-result.ts';
import { type BudgetName, limits, type RaisableLimit, raisableLimits } from '../../steering/shapes/limits.ts';
import type { AwaitingResolution } from '../../steering/shapes/standing.ts';
import type { AttemptRecord, State } from '../../steering/state/state.ts';
import { costPhrase, costText, counted, durationText, usdText } from '../../text/amounts.ts';
import { command, configFile, failedText, thenRetry } from './common-phrases.ts';
import { code, codeInCell, type Format, markdown, plain, said } from './sanitize.ts';
import { recordedRunsText } from './tests.ts';

const maxFailed = 5;

/** A comment has less room than a page. */
const room = {
  comment: { rows: 10, files: 3, lines: 5, width: 120, summary: 200 },
  page: { rows: 100, files: 8, lines: 40, width: 1000, summary: 2000 },
};
type Room = (typeof room)['page'];

/** The newest attempts of this iteration, so that nobody has to guess what was tried and why it failed. */
export function attemptsText(
  { attempts }: Pick<State, 'attempts'>,
  on: keyof typeof room = 'comment',
): string {
  if (attempts.length === 0) return '';
  const most = room[on];
  const shown = attempts.slice(-most.rows);
  const rows = shown.map((record) => {
    const { attempt, stage, duration_s, cost = {} } = record;
    const which = said([String(attempt), stage && plain(stage)]).join(', ');
    const spent = said([costText(cost), durationText(duration_s)]).join(', ');
    return `| ${[which, triedIn(record, most), filesOf(record, most), whyOf(record, most), spent].join(' | ')} |`;
  });
  const last = shown.some(({ cost = {} }) => costText(cost) !== '') ? 'cost, time' : 'time';
  const heads = [
    `| attempt | what the agent says | changed | what failed | ${last} |`,
    '|---|---|---|---|---|',
  ];
  return [...heads, ...rows].join('\n');
}

const cell: Format = { ...markdown, name: codeInCell };

/** Of an agent that failed nothing is known but why. */
function triedIn({ failure, summary }: AttemptRecord, most: Room): string {
  return (failure === null && plain(summary, most.summary)) || '–';
}

function filesOf({ files = [] }: AttemptRecord, most: Room): string {
  const named = files.slice(0, most.files).map((path) => codeInCell(path, 80));
  const more = files.length - named.length;
  return named.length === 0 ? '–' : `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The first verifier that failed in its own words, or what stopped the agent. */
function whyOf({ outcome, failure, verifiers }: AttemptRecord, most: Room): string {
  if (failure !== null) return plain(failure.message, most.summary);
  const failed = verifiers.filter(({ success }) => !success);
  const failing = failedText(failed.slice(0, maxFailed), { passed: outcome === 'green', name: codeInCell });
  const first = failed.find((each) => each.said)?.said ?? '';
  const lines = first.split('\n', most.lines).filter((line) => line.trim() !== '');
  const again = said(verifiers.slice(0, maxFailed).map((each) => recordedRunsText(each, cell)));
  return [failing || 'nothing', ...again, ...lines.map((line) => codeInCell(line, most.width))].join('<br>');
}

/** Whether the table has all that the agent says of its newest work. */
export function tellsReport({ attempts, report }: Pick<State, 'attempts' | 'report'>): boolean {
  const { failure, summary } = attempts.at(-1) ?? {};
  return failure === null && summary === report?.summary && (summary?.length ?? 0) <= room.comment.summary;
}

/**
 * Says why a task failed, as plain text: with the words of the verifier that was red in the last attempt, if
 * that is what used the attempts up.
 */
export function failureText(
  { attempt, attempts }: Pick<State, 'attempt' | 'attempts'>,
  { interrupt }: Pick<AwaitingResolution, 'interrupt'>,
): string {
  const last = attempts.at(-1);
  const isOfVerifiers = interrupt.type === 'task_exceeded_retries' || interrupt.type === 'circles';
  const isLast = isOfVerifiers && last?.attempt === attempt;
  const red = isLast && last.verifiers.find((each) => each.required !== false && each.said);
  return red ? `${interrupt.failure_reason}\n\n${red.name}:\n${red.said}` : interrupt.failure_reason;
}

/** Says what can be done where the run stopped for its budget; empty if it did not. */
export function budgetText(state: State): string {
  const { standing, attempts } = state;
  if (standing.phase !== 'awaiting_resolution' || standing.interrupt.type !== 'budget_exceeded') return '';
  return `${spentText(spentBefore(state))} ${remedy(attempts.at(-1)?.failure?.budget, state)}`.trim();
}

function remedy(budget: BudgetName | undefined, state: State): string {
  if (budget === undefined) return `Raise the limit in ${configFile(state)} ${thenRetry}`;
  const limit = raisableLimits.find((name) => name === budget);
  return limit === undefined ? ofDay(`limits.${budget}`) : raise(limit, state);
}

/** `This run has used 4.20 USD and 2,000,000 tokens so far.` */
function spentText(cost: Cost): string {
  const amounts = costPhrase(cost);
  return amounts === '' ? '' : `This run has used ${amounts} so far.`;
}

function raise(limit: RaisableLimit, state: State): string {
  const now = limitsOf(state)[limit];
  if (now === undefined) return `The limit no longer applies: use ${command('retry')}.`;
  const most = state.settings.most?.[limit];
  const known = `The limit is ${amountText(limit, now)} (${code(`limits.${limit}`)}).`;
  const bound = most === undefined ? '' : ` ${operatorAllows} ${amountText(limit, most)}`;
  const more = moreFor(limit, state, now);
  if (more === undefined) return `${known}${bound}: ask them to allow more, then use ${command('retry')}.`;
  return (
    `${known} To raise it for this run and go on: ${code(`/budget ${moreText(limit, more)}`)}.${bound && `${bound}.`} ` +
    `For every run: raise it in ${configFile(state)} ${thenRetry}`
  );
}

/** By how much to raise a limit so that the run can go on; undefined if the operator's bound forbids it. */
function moreFor(limit: RaisableLimit, state: State, now: number): number | undefined {
  const { step } = limits[limit].raised;
  const missing = spentOf(state, limit) - now;
  const wanted = Math.max(step, step * (Math.floor(missing / step) + 1));
  // In whole cents, which no fraction of a binary number may turn into one more.
  const left = Math.floor(((state.settings.most?.[limit] ?? Infinity) - now) * 100 + 1e-6) / 100;
  const more = Math.min(wanted, left);
  return more > 0 && more > missing ? more : undefined;
}

/** `4.20 USD`, `2,000,000 tokens` or `500 tool calls`. */
export function amountText(limit: RaisableLimit, amount: number): string {
  const { noun } = limits[limit];
  return noun === null ? usdText(amount) : counted(amount, noun);
}

function ofDay(bound: string): string {
  return (
    `The daily budget is shared by all runs, and the operator of Coxswain sets it (${code(bound)}). ` +
    resetText(command('retry'))
  );
}

/**
 * Says what a run has cost; empty while work is in progress, which would have to be drawn again after each
 * attempt, and where the budget is the subject anyway.
 */
export function costLine(state: State): string {
  const all = costText(spentBefore(state));
  if (all === '' || isInProgress(state.standing.phase) || budgetText(state) !== '') return '';
  if (state.iteration === 0) return `**Cost** ${all}.`;
  const current = costText(currentIteration(state).cost);
  if (current === '') return `**Cost** ${all}; no cost was reported for this iteration.`;
  return `**Cost** ${all}; this iteration: ${current}.`;
}
