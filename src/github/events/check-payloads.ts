import { z } from 'zod';
import type { GitHubEventOf } from './github-event.ts';
import { envelope, originOf, text } from './payload-parts.ts';

const numbers = z
  .array(z.object({ number: z.number() }))
  .transform((pulls) => pulls.map(({ number }) => number))
  .default([]);

const suite = z.object({ id: z.number(), updated_at: z.string() });

const run = z.object({
  id: z.number(),
  name: z.string(),
  external_id: text,
  head_sha: z.string(),
  pull_requests: numbers,
});

const click = envelope.extend({
  check_run: run,
  requested_action: z.object({ identifier: z.string() }),
});

/** Someone clicked a button of a check run. GitHub does not say when. */
export function readClick(raw: unknown): GitHubEventOf<'click'>[] {
  const parsed = click.parse(raw);
  const { id, name, external_id, head_sha } = parsed.check_run;
  const { identifier } = parsed.requested_action;
  return [
    {
      kind: 'click',
      ...originOf(parsed),
      check_run_id: id,
      check_name: name,
      external_id,
      identifier,
      head_sha,
    },
  ];
}

const completedRun = envelope.extend({
  check_run: run.extend({
    app: z.object({ slug: z.string().default('') }).nullish(),
    check_suite: z.object({ head_branch: z.string().nullish() }).nullish(),
  }),
});

/** Somebody's CI has come to an end. */
export function readCompletedRun(raw: unknown): GitHubEventOf<'check_ended'>[] {
  const parsed = completedRun.parse(raw);
  const { name: check_name, head_sha, pull_requests, app, check_suite } = parsed.check_run;
  const branch = check_suite?.head_branch ?? '';
  const which = { check_name, app: app?.slug ?? '', head_sha };
  return [{ kind: 'check_ended', ...originOf(parsed), ...which, branch, numbers: pull_requests }];
}

const rerequestedRun = envelope.extend({ check_run: run.extend({ check_suite: suite }) });

/** "Re-run" of one check. GitHub resets the suite at that moment, which gives us the time. */
export function readRerequestedRun(raw: unknown): GitHubEventOf<'recheck'>[] {
  const parsed = rerequestedRun.parse(raw);
  const { id, name, external_id, head_sha, pull_requests, check_suite } = parsed.check_run;
  return [
    {
      kind: 'recheck',
      ...originOf(parsed),
      at: check_suite.updated_at,
      suite_id: check_suite.id,
      check_run: { id, name, external_id },
      head_sha,
      numbers: pull_requests,
    },
  ];
}

const completedSuite = envelope.extend({
  check_suite: z.object({
    head_branch: z.string().nullable(),
    conclusion: z.string().nullable(),
    pull_requests: numbers,
  }),
});

/** What satisfies a rule that requires a check. */
const satisfying = ['success', 'neutral', 'skipped'];

/** All checks of one App on a commit are complete; those that failed allow nothing. */
export function readCompletedSuite(raw: unknown): GitHubEventOf<'checks_passed'>[] {
  const parsed = completedSuite.parse(raw);
  const { head_branch: branch, conclusion, pull_requests } = parsed.check_suite;
  if (branch === null || !satisfying.includes(conclusion ?? '')) return [];
  return [{ kind: 'checks_passed', ...originOf(parsed), branch, numbers: pull_requests }];
}

const rerequestedSuite = envelope.extend({
  check_suite: suite.extend({ head_sha: z.string(), pull_requests: numbers }),
});

/** "Re-run all checks". */
export function readRerequestedSuite(raw: unknown): GitHubEventOf<'recheck'>[] {
  const parsed = rerequestedSuite.parse(raw);
  const { id, updated_at, head_sha, pull_requests } = parsed.check_suite;
  return [
    {
      kind: 'recheck',
      ...originOf(parsed),
      at: updated_at,
      suite_id: id,
      check_run: null,
      head_sha,
      numbers: pull_requests,
    },
  ];
}
