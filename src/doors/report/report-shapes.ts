import { z } from 'zod';
import { commandNames } from '../../steering/commands/index.ts';
import { table } from '../../steering/phases/table.ts';
import { severities } from '../../steering/shapes/gate-rules.ts';
import type { Phase } from '../../steering/shapes/standing.ts';

/**
 * What the terminal and the HTTP API hand out as data. The names are a public interface: the API's OpenAPI
 * description and the terminal's JSON are made of these schemas.
 */

const text = z.string();
// Its keys are phases by its type, which Object.keys loses.
const phases = Object.keys(table) as readonly Phase[];
export const count = z.int().min(0);
export const time = text.meta({ description: 'ISO 8601, UTC', example: '2026-01-31T12:00:00Z' });
const sha = text.meta({ description: 'A commit, in full' });
const risk = z.enum(severities);
/** A shape with a name, or null. If it were nullable itself, that would be described wherever it is used. */
export const orNull = <T extends z.ZodType>(shape: T) => z.union([shape, z.null()]);
export const list = <T extends z.ZodType>(of: T) => z.array(of).readonly();

const login = text.meta({ example: 'ada' });

const fileShape = z.object({
  path: text,
  previous_path: text.optional(),
  status: z.enum(['added', 'modified', 'deleted', 'renamed']),
  additions: count,
  deletions: count,
  binary: z.literal(true).optional(),
});

/** F-3: the change of a run, with bodies up to a budget of lines. */
export const diffShape = z
  .object({
    repository: text.meta({ description: 'Its name without the owner' }),
    files: list(fileShape.extend({ diff: text })),
    summary: text.meta({ example: '3 files changed, +45, -12' }),
    total_lines: count,
    truncated: z.boolean(),
  })
  .meta({ id: 'Diff' });

/** What a report, or else the closing lines of a verifier say of single tests. */
const testsShape = z
  .object({
    from: z.enum(['junit', 'closing_lines']),
    total: count.meta({ description: 'With those that failed and those that were skipped' }),
    failed: count,
    skipped: count,
    failures: list(
      z.object({ name: text, message: text, path: text.optional(), line: count.optional() }),
    ).meta({ description: 'The first that failed, at most 100; only JUnit names them' }),
    unread: list(text).optional().meta({ description: 'Reports that were not read to their end, and why' }),
  })
  .meta({ id: 'Tests', description: 'Of single tests, where they are understood; the exit code decides' });

const verdictShape = z.object({
  verifier: text.meta({ example: 'widgets:test' }),
  name: text,
  required: z.boolean(),
  exit_code: z.int().meta({ description: '-1 if it could not start' }),
  success: z.boolean(),
  duration_s: z.number(),
  timed_out: z.boolean(),
  tests: testsShape.optional(),
  failed_runs: list(
    z.object({
      exit_code: z.int(),
      duration_s: z.number().optional(),
      said: text,
      failed: count.optional(),
      tests: list(text).optional(),
    }),
  )
    .optional()
    .meta({ description: 'Other runs on the same files that failed; if it succeeded, it is flaky' }),
});

/** F-4: what verifiers printed, the last 10,000 characters of each stream. */
export const logsShape = z
  .object({
    head_sha: sha.nullable().meta({ description: 'The commit they ran on; null if none has run' }),
    verifiers: list(verdictShape.extend({ stdout: text, stderr: text, truncated: z.boolean() })),
  })
  .meta({ id: 'Logs' });

const gateShape = z.object({
  rule: text,
  severity: risk,
  evidence: text,
  path: text.optional(),
  line: count.optional(),
});

/** L-13: what people are asked, the same whatever it is about. */
export const requestShape = z
  .object({
    id: text.meta({ description: 'The interaction', example: 'approval:7:12' }),
    kind: z.enum(['approval', 'question', 'stage', 'permission', 'interrupt']),
    status: z.literal('waiting_approval'),
    task_id: text,
    subtask_id: text.meta({ description: 'The stage that the work is in' }),
    reason: text,
    proposed_action: text,
    risk_level: risk,
    details: z.object({
      summary: text,
      files: list(fileShape.pick({ path: true, status: true, additions: true, deletions: true })),
      commands: list(text),
      verifiers: list(verdictShape.pick({ name: true, success: true, required: true })),
      gates: list(gateShape.pick({ rule: true, severity: true, evidence: true })),
    }),
    auto_approve_timeout: count.nullable().meta({ description: 'Seconds from `created_at`' }),
    created_at: time,
  })
  .meta({ id: 'ApprovalRequest' });

/** why a run cannot go on without people. */
export const interruptShape = z
  .object({
    type: z.enum(['task_exceeded_retries', 'zero_confidence', 'budget_exceeded', 'manual_interrupt']),
    task_id: text,
    task_description: text,
    component: text,
    phase: z.enum(['plan', 'build', 'test']).meta({ description: 'What kind of work the task is' }),
    retry_count: count,
    failure_reason: text,
    acceptance_criteria: list(text),
    files_modified: list(text),
    assigned_worker_profile: text,
    depends_on: list(text),
    cause: text,
  })
  .meta({ id: 'Interrupt' });

export const interruptsShape = z
  .discriminatedUnion('interrupted', [
    z.object({ interrupted: z.literal(true), data: interruptShape }),
    z.object({ interrupted: z.literal(false) }),
  ])
  .meta({ id: 'Interrupts' });

const steerShape = z.object({ prompt: text, author: login });
export const costShape = z.object({ tokens: count.optional(), usd: z.number().optional() });

/** F-1 and F-2: how a run was steered; iteration 0 is the task itself. */
export const steeringShape = z
  .object({
    current_iteration: count,
    max_iterations: count,
    queue: list(steerShape.extend({ at: time })).meta({ description: 'Steers that wait, oldest first' }),
    history: list(
      z.object({
        iteration_number: count,
        prompt: text,
        timestamp: time,
        steers: list(steerShape),
        files_modified: list(text),
        output: text.meta({ description: "The agent's own summary" }),
        head_before: sha,
        head_after: sha,
        attempts: count,
        score: z.number().nullable(),
        cost: costShape,
        duration_s: z.number(),
        landed: z.boolean().meta({ description: 'False while the iteration is in progress' }),
      }),
    ),
  })
  .meta({ id: 'Steering' });

/** The events of a run as its ledger lists them. */
export const historyShape = z
  .object({
    ledger: text.meta({ example: 'refs/coxswain/open/7' }),
    entries: list(z.object({ at: time, subject: text })).meta({ description: 'Oldest first' }),
    omitted: count.meta({ description: 'How many older ones are left out' }),
  })
  .meta({ id: 'History' });

/** Every interaction that people have settled: who, when, of which commit, how and why. */
export const auditShape = z
  .object({
    run: text,
    resolutions: list(
      z.object({
        interaction: text,
        kind: requestShape.shape.kind,
        head_sha: sha,
        opened_at: time,
        settled_at: time,
        by: text,
        how: text,
        reason: text.optional(),
        question: text.optional(),
        reply: text.optional(),
      }),
    ),
    approvals: list(z.object({ by: login, at: time, head_sha: sha, from: text, despite: list(text) })).meta({
      description: 'Those that stand now',
    }),
  })
  .meta({ id: 'Audit' });

/**
 * Whether the state is proven. `verified`: read by the App, or from a ledger whose commit a check run of the
 * App names. `unverified`: as the pull request's body or a ledger says, which anybody with write access can
 * change.
 */
const trust = z.enum(['verified', 'unverified']);

const summaryShape = z.object({
  run: text.meta({ description: '`owner/repo#n`', example: 'acme/widgets#7' }),
  title: text,
  url: text.meta({ description: 'The pull request on the web' }),
  phase: z.enum(phases),
  iteration: count,
  max_iterations: count,
  score: z.number().nullable(),
  band: z.enum(['high', 'medium', 'low', 'zero']).nullable(),
  head_sha: sha,
  updated_at: time,
  trust,
});

/** A run that waits for people. */
export const inboxEntryShape = summaryShape
  .extend({
    kind: requestShape.shape.kind,
    reason: text,
    risk_level: risk.nullable().meta({ description: 'Null where it is not known' }),
    waiting_since: time,
    proceeds_at: time.nullable().meta({ description: 'When it goes on by itself; null if it does not' }),
    cost: costShape.meta({ description: 'What its agents have used so far' }),
  })
  .meta({ id: 'InboxEntry' });

export const runSummaryShape = summaryShape.meta({ id: 'RunSummary' });

/** F-22: where a run stands, and what is known of its work. */
export const runShape = summaryShape
  .extend({
    sentence: text.meta({ description: 'Where it stands, in words' }),
    status_text: text.meta({ description: 'The same at length, as `/status` answers it' }),
    why_text: text.meta({
      description: 'What is missing and how sure it is, as `/why` answers it; Markdown',
    }),
    task: z.object({
      id: text,
      title: text,
      description: text,
      acceptance_criteria: list(text),
      kind: z.enum(['plan', 'build', 'test']),
      component: text,
      worker_profile: text,
      depends_on: list(text),
    }),
    issue: count.nullable(),
    requested_by: login,
    branch: text,
    base: text,
    attempt: count,
    max_attempts: count,
    queued_steers: count,
    unverified: z.boolean().meta({ description: 'No verifier ran on this commit' }),
    decision: text.nullable(),
    risk_level: risk.nullable(),
    gates: list(gateShape),
    changes: z
      .object({ files: list(fileShape), omitted: count.optional(), summary: text })
      .nullable()
      .meta({ description: 'Null until the head is verified' }),
    verifiers: list(verdictShape),
    report: z
      .object({
        summary: text,
        status: z.enum(['done', 'uncertain', 'cannot']),
        question: text.optional(),
        tool_calls: list(
          z.object({
            kind: text,
            title: text,
            command: text.optional(),
            outcome: z.enum(['ok', 'failed', 'denied', 'unknown']),
          }),
        ),
      })
      .nullable()
      .meta({ description: "The agent's own account of the head; null if there is none" }),
    approval_request: orNull(requestShape),
    interrupt: orNull(interruptShape),
    questions: list(
      z.object({
        id: text,
        question: text,
        context: text.optional(),
        options: list(text),
        multiple: z.boolean(),
        default: text.optional(),
      }),
    ),
    proceeds: z
      .object({ at: time, on_timeout: z.enum(['proceed', 'hold', 'deny']) })
      .nullable()
      .meta({ description: 'When it stops waiting, and for what' }),
    deadline: time.nullable().meta({ description: 'When the time of people to answer is over' }),
    possible: list(z.enum(commandNames)).meta({ description: 'The commands that can be said now' }),
    cost: costShape,
    ledger: z.object({ ref: text, seq: count }),
  })
  .meta({ id: 'Run' });

export type DiffReport = z.infer<typeof diffShape>;
export type LogsReport = z.infer<typeof logsShape>;
export type RequestReport = z.infer<typeof requestShape>;
export type InterruptsReport = z.infer<typeof interruptsShape>;
export type SteeringReport = z.infer<typeof steeringShape>;
export type HistoryReport = z.infer<typeof historyShape>;
export type AuditReport = z.infer<typeof auditShape>;
export type InboxEntry = z.infer<typeof inboxEntryShape>;
export type RunSummary = z.infer<typeof runSummaryShape>;
export type RunReport = z.infer<typeof runShape>;
