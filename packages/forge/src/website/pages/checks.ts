import { html } from '../html.ts';
import { icon, runsOf, stateOfRun } from '../merge/check-list.ts';
import { checkDeeds, runCalled, runDetails } from '../merge/run-details.ts';
import { pullFrame, pullIn, pullTitle } from '../pull-frame.ts';
import { type Page, type PageRoute, type Params, page, type RepositoryVisit } from '../visit.ts';

/** Check runs: those of a pull request, and one of its own. */
export const checkPages: readonly PageRoute[] = [
  page('/pull/:number/checks', ofPull, checkDeeds),
  page('/runs/:number', single, checkDeeds),
];

async function ofPull(visit: RepositoryVisit, { number }: Params): Promise<Page> {
  const issue = pullIn(visit, number);
  const runs = runsOf(visit, issue);
  const wanted = Number(visit.query.get('check_run_id'));
  const asked = wanted === 0 ? undefined : runCalled(visit, wanted);
  const shown = asked ?? runs.find((run) => ['failure', 'action'].includes(stateOfRun(run))) ?? runs[0];
  const rows = runs.map(
    (run) =>
      html`<li${run === shown && html` aria-current="true"`}>${icon(stateOfRun(run))} <a href="?check_run_id=${run.id}">${run.name}</a></li>`,
  );
  const older = html`<p class="notice">This check run is of an older commit of the pull request.</p>`;
  const body =
    shown === undefined
      ? html`<p class="notice">There are no check runs for the newest commit yet.</p>`
      : html`<div class="checks"><nav class="card" aria-label="Check runs"><ul class="plain rows">${rows}</ul></nav><div>${shown.head_sha !== issue.pull.head_sha && older}${runDetails(visit, shown)}</div></div>`;
  const main = html`${await pullFrame(visit, issue, '/checks')}${body}`;
  return { title: `Checks · ${pullTitle(issue)}`, tab: 'pulls', main };
}

async function single(visit: RepositoryVisit, { number }: Params): Promise<Page> {
  const run = runCalled(visit, Number(number));
  const { context, repository, at } = visit;
  const pulls = context.store.pulls(repository).filter(({ pull }) => pull.head_sha === run.head_sha);
  const links = pulls.map((issue) => {
    const href = `${at}/pull/${issue.number}/checks?check_run_id=${run.id}`;
    return html`<li><a href="${href}">${issue.title} #${issue.number}</a></li>`;
  });
  const main = html`<h1>${run.name}</h1>
${links.length > 0 && html`<p>For this pull request:</p><ul>${links}</ul>`}
${runDetails(visit, run)}`;
  return { title: `${run.name} · Check run`, tab: 'pulls', main };
}
