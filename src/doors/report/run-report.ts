import { ledgerRef, namespaceOf } from '../../ledger/format.ts';
import { approvalRequestOf } from '../../steering/announcements.ts';
import { openInteraction, ownInteractions } from '../../steering/iterations/interactions.ts';
import { interruptPayload } from '../../steering/iterations/requests-for-programs.ts';
import { spentBefore } from '../../steering/iterations/spending.ts';
import { sayableIn } from '../../steering/phases/table.ts';
import { riskOf } from '../../steering/shapes/gate-rules.ts';
import { isAskingHuman, shownPhase } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import { type AtWork, phaseSentence, statusText, whyText } from '../../words/index.ts';
import type { LastOutputs } from '../../words/status-text.ts';
import {
  type AuditReport,
  type InboxEntry,
  type InterruptsReport,
  type LogsReport,
  logsShape,
  type RequestReport,
  type RunReport,
  type RunSummary,
  runShape,
  type SteeringReport,
  steeringShape,
} from './report-shapes.ts';

/** What a state does not say of a run. */
interface ReportContext {
  /** Where the repository is on the web. */
  readonly web: string;
  readonly trust: RunSummary['trust'];
  /** What is being done, where that is seen. */
  readonly atWork?: AtWork | undefined;
}

/** Where a run stands, and what is known of its work. What the state keeps besides is left out. */
export function runReport(state: State, context: ReportContext): RunReport {
  const { shown, standing, task, run } = state;
  const proceeds = standing.phase === 'awaiting_approval' ? (standing.proceeds ?? null) : null;
  return runShape.parse({
    ...runSummary(state, context),
    sentence: phaseSentence(state),
    status_text: statusText(state, context.atWork),
    why_text: whyText(state, context.web),
    task,
    issue: run.issue,
    requested_by: state.requested_by.login,
    branch: run.branch,
    base: run.base,
    attempt: state.attempt,
    max_attempts: state.settings.attempts.max,
    queued_steers: state.queue.length,
    unverified: shown?.confidence.unverified ?? true,
    decision: shown?.decision ?? null,
    risk_level: shown === null ? null : riskOf(shown.gates),
    gates: shown?.gates ?? [],
    changes: shown?.changes ?? null,
    verifiers: shown?.verifiers ?? [],
    report: state.report,
    approval_request: requestReport(state),
    interrupt: interruptPayload(state),
    questions: questionsOf(state),
    proceeds,
    deadline: isAskingHuman(standing) ? standing.deadline : null,
    possible: sayableIn(state),
    cost: spentBefore(state),
    ledger: { ref: ledgerRef(namespaceOf(standing.phase), run.number), seq: state.seq },
  } satisfies RunReport);
}

/** A run as lists show it. */
export function runSummary(state: State, { web, trust }: Pick<ReportContext, 'web' | 'trust'>): RunSummary {
  const { run, task, shown, iteration, max_iterations, head, updated_at } = state;
  return {
    run: run.id,
    title: task.title,
    url: `${web}/pull/${run.number}`,
    phase: shownPhase(state),
    iteration,
    max_iterations,
    score: shown?.confidence.score ?? null,
    band: shown?.confidence.band ?? null,
    head_sha: head,
    updated_at,
    trust,
  };
}

/** A run as the inbox lists it; undefined unless it waits for people. */
export function inboxEntry(
  state: State,
  context: Pick<ReportContext, 'web' | 'trust'>,
): InboxEntry | undefined {
  const request = requestReport(state);
  if (request === null) return undefined;
  const { standing } = state;
  const proceeds = standing.phase === 'awaiting_approval' ? standing.proceeds : undefined;
  return {
    ...runSummary(state, context),
    kind: request.kind,
    reason: request.reason,
    risk_level: request.risk_level,
    waiting_since: request.created_at,
    proceeds_at: proceeds?.at ?? null,
    cost: spentBefore(state),
  };
}

/** What people are asked; null while nobody is. */
export function requestReport(state: State): RequestReport | null {
  const open = openInteraction(state);
  const request = approvalRequestOf(state);
  if (open === null || request === null) return null;
  return { id: open.id, kind: open.kind, status: 'waiting_approval', ...request };
}

/** Why a run cannot go on without people. */
export function interruptsReport(state: State): InterruptsReport {
  const data = interruptPayload(state);
  return data === null ? { interrupted: false } : { interrupted: true, data };
}

/** How a run was steered. */
export function steeringReport(state: State): SteeringReport {
  const { iteration, max_iterations, queue, iterations } = state;
  return steeringShape.parse({
    current_iteration: iteration,
    max_iterations,
    queue,
    history: iterations,
  } satisfies SteeringReport);
}

/** Reports what verifiers printed; with `verifier`, only that one, by its name or by `<repo>:<name>`. */
export function logsReport(outputs: LastOutputs | undefined, verifier?: string): LogsReport {
  const all = outputs?.verifiers ?? [];
  const asked = all.filter((each) => verifier === undefined || [each.name, each.verifier].includes(verifier));
  return logsShape.parse({ head_sha: outputs?.head ?? null, verifiers: asked } satisfies LogsReport);
}

/** Who has settled what, and when. */
export function auditReport(state: State): AuditReport {
  const settled = ownInteractions(state);
  // Why the work was rejected is said once in a ledger, of the run that it has ended.
  const rejected = settled.findLast(({ how }) => how === 'rejected');
  const why = state.standing.phase === 'rejected' ? state.standing.reason : undefined;
  return {
    run: state.run.id,
    resolutions: settled.map((each) => ({
      interaction: each.id,
      kind: each.kind,
      head_sha: each.head_sha,
      opened_at: each.opened_at,
      settled_at: each.settled_at,
      by: each.by,
      how: each.how,
      ...(each.reason !== undefined && { reason: each.reason }),
      ...(each === rejected && why !== undefined && { reason: why }),
      ...(each.question !== undefined && { question: each.question.question }),
      ...(each.reply !== undefined && { reply: each.reply }),
    })),
    approvals: state.approvals.map(({ by, at, head_sha, source, despite }) => ({
      by: by.login,
      at,
      head_sha,
      from: source.from,
      despite,
    })),
  };
}

function questionsOf({ questions = [] }: State): RunReport['questions'] {
  return questions.map(({ interaction, asked }) => ({
    id: interaction.id,
    question: asked.question,
    ...(asked.context !== undefined && { context: asked.context }),
    options: asked.options ?? [],
    multiple: asked.multiple ?? false,
    ...(asked.default !== undefined && { default: asked.default }),
  }));
}
