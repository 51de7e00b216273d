import type { AwaitingResolution } from '../../steering/shapes/standing.ts';
import type { AttemptRecord, State } from '../../steering/state/state.ts';
import { costText, durationText } from '../../text/amounts.ts';
import { recordedRunsText } from './flaky.ts';
import { failedText } from './phrases.ts';
import { codeInCell, type Format, markdown, plain, said } from './sanitize.ts';

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
 * Why a task failed, as plain text: with the words of the verifier that was red in the last attempt, if that
 * is what used the attempts up.
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
