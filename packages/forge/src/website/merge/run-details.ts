import type { Annotation, CheckRun } from '../../model.ts';
import { requestAction } from '../../operations/checks.ts';
import { encodedPath } from '../../payloads/links.ts';
import { atLeast, needs, requireAccess } from '../../permissions.ts';
import { HttpError, notFound } from '../../responses.ts';
import { commitLink, form, type Html, html, time, webAddress } from '../html.ts';
import { markdown } from '../text/markdown.ts';
import type { Deed, RepositoryVisit } from '../visit.ts';
import { icon, runWords, stateOfRun } from './check-list.ts';

/** Everything that an App said with a check run, and its buttons. */
export function runDetails(visit: RepositoryVisit, run: CheckRun): Html {
  const { output, head_sha, details_url, started_at } = run;
  const app = visit.context.store.app(run.app_id);
  const details = webAddress(details_url);
  return html`<section class="card" aria-labelledby="run-${run.id}"><div class="head">${icon(stateOfRun(run))}
<h2 id="run-${run.id}">${output.title ?? run.name}</h2></div><div class="body">
<p>${run.name} by ${app.name} · <b>${runWords(run)}</b> · started ${time(started_at)} · commit ${commitLink(visit.at, head_sha)}
${details && html` · <a href="${details}">View more details on ${app.name}</a>`}</p>
${buttons(visit, run)}
${output.summary === null && output.text === null && html`<p class="muted">There is no output.</p>`}
<div class="markdown">${markdown(output.summary, visit)}</div>
<div class="markdown">${markdown(output.text, visit)}</div>
${run.annotations.length > 0 && annotations(visit, run)}
</div></section>`;
}

/** Only people with write access see the App's buttons. */
function buttons(visit: RepositoryVisit, run: CheckRun): Html | false {
  if (!atLeast(visit.role, 'write')) return false;
  const actions = run.actions.map(({ label, description, identifier }) =>
    form(
      visit,
      { does: 'run-action', fields: { run: run.id, identifier } },
      html`<button title="${description}">${label}</button> <span class="muted">${description}</span>`,
    ),
  );
  const rerun =
    run.status === 'completed' &&
    form(visit, { does: 'rerun', fields: { run: run.id } }, html`<button>Re-run</button>`);
  return html`<div class="actions bar">${actions}${rerun}</div>`;
}

function annotations(visit: RepositoryVisit, { annotations: all, head_sha }: CheckRun): Html {
  const rows = all.map((annotation) => html`<li>${annotationRow(visit, annotation, head_sha)}</li>`);
  return html`<h3>Annotations</h3><ul class="plain rows annotations">${rows}</ul>`;
}

const levels: Readonly<Record<string, 'failure' | 'pending' | 'neutral'>> = {
  failure: 'failure',
  warning: 'pending',
};

function annotationRow(visit: RepositoryVisit, annotation: Annotation, sha: string): Html {
  const { path, start_line, end_line, annotation_level, message, title, raw_details } = annotation;
  const lines = end_line > start_line ? `${start_line}–${end_line}` : start_line;
  return html`<div><p>${icon(levels[annotation_level] ?? 'neutral')} ${annotation_level}:
<a href="${visit.at}/blob/${sha}/${encodedPath(path)}#L${start_line}"><code>${path}:${lines}</code></a> ${title && html`<b>${title}</b>`}</p>
<p>${message}</p>${raw_details && html`<pre tabindex="0">${raw_details}</pre>`}</div>`;
}

/** Presses one of the App's buttons. */
const runAction: Deed = async (visit, { form: fields }) => {
  const { context, repository, actor } = visit;
  requireAccess(actor, { repository, needs: needs('write', { checks: 'write' }) });
  const run = runCalled(visit, Number(fields.get('run')));
  const identifier = fields.get('identifier') ?? '';
  if (!requestAction({ context, sender_id: actor.account.id }, run, identifier)) {
    throw new HttpError(422, `${run.name} no longer offers this button.`);
  }
  return visit.path + query(visit);
};

const rerun: Deed = async (visit, { form: fields }) => {
  const run = runCalled(visit, Number(fields.get('run')));
  await visit.api('POST', `/repos${visit.at}/check-runs/${run.id}/rerequest`);
  return visit.path + query(visit);
};

export const checkDeeds = { 'run-action': runAction, rerun };

function query(visit: RepositoryVisit): string {
  const text = visit.query.toString();
  return text === '' ? '' : `?${text}`;
}

export function runCalled({ context, repository }: RepositoryVisit, id: number): CheckRun {
  const { check_runs } = context.store.data;
  const run = check_runs.find((one) => one.id === id && one.repository_id === repository.id);
  if (!run) throw notFound();
  return run;
}
