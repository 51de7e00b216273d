import { stageText } from '../github/words/stages.ts';
import type { Progress, RecentCall, VerifierProgress } from '../steering/progress.ts';
import { costText, counted, durationText } from '../text/amounts.ts';
import { visible } from '../text/visible.ts';

/** What the page says of an agent at work: once by the server, then by the script with what it is told. */
export interface ProgressLines {
  /** When the attempt began, ISO 8601. */
  readonly since: string;
  readonly facts: readonly string[];
  /** Limits that will soon be met. */
  readonly near: readonly string[];
  /** Oldest first. */
  readonly calls: readonly CallLine[];
  /** The end of what it says. */
  readonly saying: string;
  /** In order; none before they have begun. */
  readonly verifiers: readonly VerifierLine[];
}

export interface VerifierLine extends CallLine {
  /** When the one that runs began, ISO 8601. */
  readonly since: string | undefined;
}

export interface CallLine {
  readonly mark: string;
  /** What the mark means, for those who do not see it. */
  readonly outcome: string;
  readonly tone: 'success' | 'danger' | 'warning' | 'neutral';
  readonly text: string;
}

/** As plain text: whoever shows it escapes it. */
export function progressLines(progress: Progress): ProgressLines {
  const { stage, since, cost, near, calls, last, saying, verifiers = [] } = progress;
  const { total, failed, denied } = calls;
  const facts = [
    stageText(progress),
    counted(total, 'tool call'),
    failed > 0 ? `${failed} failed` : '',
    denied > 0 ? `${denied} denied` : '',
    costText(cost),
  ];
  return {
    since,
    facts: facts.filter((fact) => fact !== ''),
    near: near.map((sentence) => sentence.replaceAll('`', '')),
    calls: last.map(callLine),
    saying: visible(saying).trim(),
    verifiers: stage === 'verifiers' ? verifiers.map(verifierLine) : [],
  };
}

function verifierLine({ name, required, since, result }: VerifierProgress): VerifierLine {
  const begun = { since: result === undefined ? since : undefined };
  if (result === undefined && since === undefined)
    return { mark: '·', outcome: 'to come', tone: 'neutral', text: `${visible(name)}, to come`, ...begun };
  if (result === undefined) return { ...marks.open, text: `${visible(name)}, running, begun `, ...begun };
  const { success, duration_s } = result;
  const verdict = success ? 'passed' : required ? 'failed' : 'failed, which is not required';
  const mark = success ? marks.ok : required ? marks.failed : { ...marks.failed, tone: 'warning' as const };
  return {
    ...mark,
    outcome: verdict,
    text: `${visible(name)}, ${verdict}, ${durationText(duration_s)}`,
    ...begun,
  };
}

/** What is said while this process knows nothing. */
export const noNews =
  'There is no news of it here: it has only just begun or ended, or another process is doing the work.';

function callLine({ title, command, outcome }: RecentCall): CallLine {
  return { ...marks[outcome ?? 'open'], text: visible(command ?? title) };
}

const marks: Readonly<Record<NonNullable<RecentCall['outcome']> | 'open', Omit<CallLine, 'text'>>> = {
  ok: { mark: '✓', outcome: 'done', tone: 'success' },
  failed: { mark: '✗', outcome: 'failed', tone: 'danger' },
  denied: { mark: '⊘', outcome: 'denied', tone: 'warning' },
  unknown: { mark: '?', outcome: 'ended', tone: 'neutral' },
  open: { mark: '…', outcome: 'running', tone: 'neutral' },
};
