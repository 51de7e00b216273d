import { type Context, gitOf, type Pusher, type Sender, timestamp } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import type { RefChange } from '../git/plumbing.ts';
import type { Input } from '../input.ts';
import type { Annotation, App, CheckAction, CheckRun, CheckSuite, Repository } from '../model.ts';
import { checkRunEventPayload, checkSuitePayload } from '../payloads/checks.ts';
import { covers } from '../permissions.ts';
import { type HttpError, invalidRequest, validationFailed } from '../responses.ts';

const statuses = ['queued', 'in_progress', 'completed'] as const;
const conclusions = [
  'action_required',
  'cancelled',
  'failure',
  'neutral',
  'success',
  'skipped',
  'stale',
  'timed_out',
] as const;

/** Applies the fields of a request to a check run, within GitHub's limits. */
export function applyCheckFields(context: Context, run: CheckRun, input: Input): void {
  const actions = actionsIn(input);
  const annotations = annotationsIn(input);
  applyOutput(run, input);
  run.name = input.text('name') ?? run.name;
  run.details_url = input.text('details_url') ?? run.details_url;
  run.external_id = input.text('external_id') ?? run.external_id;
  run.started_at = input.text('started_at') ?? run.started_at;
  run.actions = actions ?? run.actions;
  run.annotations.push(...annotations);
  applyStatus(context, run, input);
}

/** A conclusion completes a run, and a completed run must have a conclusion. */
function applyStatus(context: Context, run: CheckRun, input: Input): void {
  const conclusion = input.oneOf('conclusion', conclusions);
  const status = input.oneOf('status', statuses);
  if (status === 'completed' && conclusion === undefined && run.conclusion === null) {
    throw invalidRequest('"conclusion" wasn\'t supplied.');
  }
  if (conclusion === undefined && (status === undefined || status === 'completed')) return;
  run.status = conclusion === undefined ? (status ?? run.status) : 'completed';
  run.conclusion = conclusion ?? null;
  run.completed_at = conclusion === undefined ? null : (input.text('completed_at') ?? timestamp(context));
}

function applyOutput(run: CheckRun, input: Input): void {
  const output = input.object('output');
  if (!output) return;
  for (const field of ['summary', 'text'] as const) {
    const text = output.text(field) ?? '';
    if (Buffer.byteLength(text) > 65_535) throw tooLong(text, 65_535);
  }
  run.output = {
    title: output.text('title') ?? run.output.title,
    summary: output.text('summary') ?? run.output.summary,
    text: output.text('text') ?? run.output.text,
  };
}

/** At most three buttons, each with a label (20), a description (40) and an identifier (20 characters). */
function actionsIn(input: Input): CheckAction[] | undefined {
  const actions = input.objects('actions');
  requireAtMost(3, actions ?? []);
  return actions?.map((action) => ({
    label: bounded(action, 'label', 20),
    description: bounded(action, 'description', 40),
    identifier: bounded(action, 'identifier', 20),
  }));
}

function bounded(action: Input, name: string, most: number): string {
  const text = action.requiredText(name);
  if (text.length <= most) return text;
  throw tooLong(text, most);
}

function tooLong(text: string, most: number): HttpError {
  return invalidRequest(`Only ${most} characters are allowed; ${text.length} were supplied.`);
}

function requireAtMost(most: number, { length }: Input[]): void {
  if (length <= most) return;
  throw invalidRequest(`No more than ${most} items are allowed; ${length} were supplied.`);
}

function annotationsIn(input: Input): Annotation[] {
  const annotations = input.object('output')?.objects('annotations') ?? [];
  requireAtMost(50, annotations);
  return annotations.map(annotationIn);
}

function annotationIn(annotation: Input): Annotation {
  const start_line = annotation.integer('start_line');
  const end_line = annotation.integer('end_line');
  if (start_line === undefined || end_line === undefined) {
    throw validationFailed('CheckAnnotation', 'start_line and end_line are needed');
  }
  return {
    path: annotation.requiredText('path'),
    start_line,
    end_line,
    start_column: annotation.integer('start_column') ?? null,
    end_column: annotation.integer('end_column') ?? null,
    annotation_level: annotation.oneOf('annotation_level', ['notice', 'warning', 'failure']) ?? 'notice',
    message: annotation.requiredText('message'),
    title: annotation.text('title') ?? null,
    raw_details: annotation.text('raw_details') ?? null,
  };
}

/**
 * Requests checks of a pushed commit from each App with `checks: write` that subscribes to check suites, unless
 * the commit's message asks GitHub not to.
 */
export async function requestChecks(
  { context, repository, sender_id }: Pusher,
  { before, after }: RefChange,
  branch: string,
): Promise<void> {
  const commit = await readCommit(gitOf(context, repository), after);
  if (skipsChecks.test(commit.message)) return;
  const listeners = context.store.data.installations.filter(
    (installation) =>
      installation.repository_ids.includes(repository.id) &&
      installation.events.includes('check_suite') &&
      covers(installation.permissions, { checks: 'write' }),
  );
  for (const installation of listeners) {
    const app = context.store.app(installation.app_id);
    const suite = suiteFor(context, repository, { app, before, after, branch });
    const payload = { check_suite: checkSuitePayload(context, suite, commit) };
    const event = { name: 'check_suite', action: 'requested', app_id: app.id };
    context.emit({ ...event, repository, sender_id, payload });
  }
}

/** The message ends with this trailer, which may follow others but stands last. */
const skipsChecks = /\n\s*\n(?:[\w-]+: .*\n)*skip-checks: ?true\s*$/i;

/** The App's check suite for a commit, created on first use. */
export function suiteFor(
  context: Context,
  repository: Repository,
  { app, after, before, branch }: { app: App; after: string; before?: string; branch?: string },
): CheckSuite {
  const existing = context.store.data.suites.find(
    (suite) => suite.repository_id === repository.id && suite.app_id === app.id && suite.head_sha === after,
  );
  if (existing) return existing;
  const suite: CheckSuite = {
    id: context.store.id(),
    repository_id: repository.id,
    app_id: app.id,
    head_sha: after,
    head_branch: branch ?? null,
    before: before ?? null,
    after,
    created_at: timestamp(context),
    updated_at: timestamp(context),
  };
  context.store.data.suites.push(suite);
  return suite;
}

/** Tells the App of a check run that somebody pressed one of its buttons; false if there is none such. */
export function requestAction({ context, sender_id }: Sender, run: CheckRun, identifier: string): boolean {
  if (!run.actions.some((action) => action.identifier === identifier)) return false;
  const repository = context.store.repository(run.repository_id);
  const payload = { check_run: checkRunEventPayload(context, run), requested_action: { identifier } };
  const to = { name: 'check_run', action: 'requested_action', app_id: run.app_id };
  context.emit({ ...to, repository, sender_id, payload });
  return true;
}
