import { Problem } from '../doors/problem.ts';
import { html } from '../html/html.ts';
import { webOf } from '../repository/repository.ts';
import type { Run } from '../runs/run/run.ts';
import { commandSpecs } from '../steering/commands/index.ts';
import { covers } from '../steering/shapes/people.ts';
import { phaseSentence } from '../words/phases/index.ts';
import { viewIn } from './diff/diff-view.ts';
import { offersOf } from './forms/offers.ts';
import { inboxTrail, saidNote } from './inbox/next-run.ts';
import { loadIssue } from './load/load-conversation.ts';
import { loadPull, loadRun, loadStateOf, loadWork, type RunModel } from './load/load-run.ts';
import { type IssueRoute, pathOf } from './load/page-routes.ts';
import type { Content, InRepository, RenderOptions } from './page-context.ts';
import type { TaskAction, TaskSource } from './tasks/task-fields.ts';
import { attemptPage } from './views/iterations-view.ts';
import { runView } from './views/run-view.ts';
import { interruptOf, sourceOf } from './views/task-forms.ts';

/**
 * The run of a pull request that the person may see; throws otherwise. Anyone may ask for any number, and
 * each that was opened for nothing would have one closed that people work on.
 */
export async function runOf(
  route: IssueRoute,
  { visitor: { reader }, liveRuns, repository }: InRepository,
): Promise<Run> {
  await loadPull(reader, route);
  return liveRuns.of(repository, route.number);
}

/** A run, with everything that people decide by. */
export async function renderRun(
  route: IssueRoute,
  { query, input = null, scripted = false }: RenderOptions,
  context: InRepository,
): Promise<Content> {
  const { cache, viewer } = context;
  const { reader, postings } = context.visitor;
  const view = input?.remarking?.view ?? viewIn(query);
  const liveRun = await runOf(route, context);
  const run = await loadRun(route, { reader, cache, liveRun, view });
  const news = scripted ? 'script' : (context.progress.of(liveRun.name) ?? null);
  const seq = 'value' in run.state ? run.state.value.seq : -1;
  const posting = postings.of(pathOf({ ...route, page: 'issues' }), seq);
  const speaker = { viewer, posting, at: new Date().toISOString() };
  const waiting = waitingFor(run, context);
  const { from } = route;
  const here = { ...route, repository_id: context.repository.id };
  const trail = from !== undefined && (await inboxTrail(context.visitor, { ...here, from }, context));
  const main = html`${saidNote(query)}${trail}${runView({ run, speaker, view, input, news, waiting })}`;
  return { status: 200, title: `${run.pull.title} #${route.number} · Coxswain`, main };
}

/** The runs, as far as this process knows them, that wait for the pull request or for its issue. */
function waitingFor({ state, route }: RunModel, { liveRuns, repository }: InRepository) {
  if ('missing' in state) return [];
  const numbers = [route.number, state.value.run.issue];
  return liveRuns.newest().flatMap(({ standing, run, task }) => {
    const isWaiting =
      run.repository_id === repository.id &&
      standing.phase === 'blocked' &&
      [...standing.on.map(({ number }) => number), ...(standing.behind ?? [])].some((number) =>
        numbers.includes(number),
      );
    return isWaiting ? [{ name: task.title, number: run.number }] : [];
  });
}

/** What a form about a task begins with; throws `Problem` where nobody can send it now. */
export async function findTask(
  route: IssueRoute,
  action: TaskAction,
  context: InRepository,
): Promise<TaskSource> {
  const {
    visitor: { reader },
    cache,
    viewer,
  } = context;
  const { needs } = commandSpecs[action];
  if (!covers(viewer.role, needs))
    throw new Problem(403, `/${action} needs ${needs}; your role here is ${viewer.role}.`);
  if (action === 'run') return { task: { title: (await loadIssue(reader, route)).title }, about: '' };
  const liveRun = await runOf(route, context);
  const state = await loadStateOf(route, { reader, cache, liveRun });
  if (state === undefined) throw new Problem(404, `There is no run on #${route.number}.`);
  const interrupt = interruptOf(state);
  const { offered } = offersOf(state, { viewer, at: new Date().toISOString() });
  if (interrupt !== undefined && offered.includes(action)) return sourceOf(state, interrupt);
  throw new Problem(409, `/${action} is not possible now: ${phaseSentence(state)}.`);
}

/** Work that has ended, with what its verifiers printed: too much for the page of the run. */
export async function renderWork(route: IssueRoute, number: number, context: InRepository): Promise<Content> {
  const { visitor, cache, repository } = context;
  const { reader } = visitor;
  const work = await loadWork(route, number, { reader, cache, liveRun: await runOf(route, context) });
  if (work === undefined) throw new Problem(404, `${pathOf(route)} has no such attempt.`);
  return {
    status: 200,
    title: `Attempt of #${route.number} · Coxswain`,
    main: attemptPage(route, work, webOf(repository)),
  };
}
