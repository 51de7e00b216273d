import { humanText, readBlock } from '../../github/show/block.ts';
import type { LedgerLog } from '../../ledger/directory.ts';
import { lastOutputs } from '../../runs/run/reply-context.ts';
import type { Run } from '../../runs/run/run.ts';
import type { FileChange } from '../../steering/shapes/attempt-result.ts';
import type { Event } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import type { DiffView } from '../diff/diff-view.ts';
import { type PageDiff, readDiff } from '../diff/read-diff.ts';
import { type EndedWork, endedWork } from './ended-work.ts';
import { type Cache, type GitHubReader, loaded } from './github-reader.ts';
import { labelNames, loadConversation } from './load-conversation.ts';
import type { IssueRoute } from './page-routes.ts';

/** Everything that is shown of a run. */
export type RunModel = Awaited<ReturnType<typeof loadRun>>;
export type PullModel = Awaited<ReturnType<typeof loadPull>>;
export type CheckRun = Awaited<ReturnType<typeof loadChecks>>[number];

interface RunSources {
  readonly reader: GitHubReader;
  /** Keeps what was read from Git. */
  readonly cache: Cache;
  readonly liveRun: Run;
}

interface ShownSources extends RunSources {
  /** What of the changes is shown. */
  readonly view: DiffView;
}

const noRun = 'This pull request has no ledger, so it is not a run.';
const noOutputs = 'No verifier has run yet.';

/** Reads GitHub first: people who may not see the pull request must not see its ledger or diff either. */
export async function loadRun(route: IssueRoute, sources: ShownSources) {
  const pull = await loadPull(sources.reader, route);
  const [state, conversation, checks] = await Promise.all([
    loaded('The run', loadState(sources, pull), noRun),
    loaded('The conversation', loadConversation(sources.reader, route)),
    loaded('The list of check runs', loadChecks(sources.reader, route, pull)),
  ]);
  // Without a state there is no run, and nothing of it to load.
  const ofRun = async <T>(load: (sources: ShownSources, state: State) => Promise<T>) =>
    'value' in state ? load(sources, state.value) : undefined;
  const [outputs, diff, events, log] = await Promise.all([
    // It may be of an earlier head, if nothing has been verified on this one.
    loaded('The output of the verifiers', ofRun(loadOutputs), noOutputs),
    loaded('The diff', ofRun(loadDiff)),
    // They come oldest first.
    loaded('The list of attempts', ofRun(loadEvents)),
    loaded('The history', ofRun(loadLog)),
  ]);
  return { route, pull, state, conversation, checks, outputs, diff, events, log };
}

/** The state of a run; undefined if there is none. Fails if the person may not see it. */
export async function loadStateOf(route: IssueRoute, sources: RunSources): Promise<State | undefined> {
  return loadState(sources, await loadPull(sources.reader, route));
}

/** Work that has ended, by its number; undefined if there is none. Fails if the person may not see it. */
export async function loadWork(
  route: IssueRoute,
  number: number,
  sources: RunSources,
): Promise<EndedWork | undefined> {
  const state = await loadStateOf(route, sources);
  const events = state === undefined ? [] : await loadEvents(sources, state);
  return endedWork(events).find((work) => work.number === number);
}

/** Fails if the person may not see it. */
export async function loadPull(reader: GitHubReader, { owner, repo, number }: IssueRoute) {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const { data } = await reader.get(route, { owner, repo, pull_number: number });
  const body = data.body ?? '';
  return {
    title: data.title,
    /** What people wrote, without our block. */
    body: humanText(body, `${owner}/${repo}#${number}`),
    author: data.user.login,
    at: data.created_at,
    draft: data.draft ?? false,
    open: data.state === 'open',
    merged: data.merged,
    labels: labelNames(data.labels),
    branch: data.head.ref,
    base: data.base.ref,
    head_sha: data.head.sha,
    url: data.html_url,
    /** The ledger's sequence that the pull request was last rendered from. */
    seq: readBlock(body)?.seq ?? 0,
  };
}

const stateMaxAgeMs = 3000;

/** The live state, unless another process has rendered the pull request from a newer one. */
async function loadState({ liveRun, cache }: RunSources, { seq }: PullModel): Promise<State | undefined> {
  if (liveRun.newest !== undefined && liveRun.newest.seq >= seq) return liveRun.newest;
  const snapshot = await cache.get(`ledger ${idOf(liveRun)}`, stateMaxAgeMs, () => liveRun.readLedger());
  return liveRun.newest ?? snapshot?.state;
}

async function loadChecks(reader: GitHubReader, { owner, repo }: IssueRoute, { head_sha }: PullModel) {
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
  const { data } = await reader.get(route, { owner, repo, ref: head_sha, per_page: 100 });
  return data.check_runs.map(({ id, name, status, conclusion, html_url, output }) => ({
    id,
    name,
    title: output.title ?? '',
    status,
    conclusion,
    url: html_url,
  }));
}

/** The key of such an entry contains everything that it depends on, so it never changes. */
const forever = Number.POSITIVE_INFINITY;

function loadOutputs({ liveRun, cache }: RunSources, { seq }: State) {
  return cache.get(`outputs ${idOf(liveRun)} ${seq}`, forever, () => lastOutputs(liveRun));
}

/** One file is read for itself, with more of its lines; the others are those of the whole diff. */
async function loadDiff({ liveRun, cache, view }: ShownSources, state: State): Promise<PageDiff> {
  const from = state.iterations.find(({ iteration_number }) => iteration_number === view.since)?.head_after;
  const { repository_id, number } = state.run;
  const read = (file?: FileChange) => {
    const paths = file && [file.path, ...(file.previous_path === undefined ? [] : [file.previous_path])];
    const key = JSON.stringify([repository_id, number, state.head, from ?? null, paths ?? null]);
    return cache.get(`diff ${key}`, forever, () =>
      readDiff(liveRun, state, { from, ...(paths && { paths }) }),
    );
  };
  const whole = await read();
  const chosen = whole.files.find(({ path, isCut }) => path === view.file && isCut);
  if (chosen === undefined) return whole;
  const [longer] = (await read(chosen)).files;
  return { ...whole, files: whole.files.map((file) => (file === chosen ? (longer ?? file) : file)) };
}

function loadEvents({ liveRun, cache }: RunSources, { seq }: State): Promise<readonly Event[]> {
  return cache.get(`events ${idOf(liveRun)} ${seq}`, forever, () => liveRun.ledger.events());
}

function loadLog({ liveRun, cache }: RunSources, { seq }: State): Promise<LedgerLog | undefined> {
  return cache.get(`log ${idOf(liveRun)} ${seq}`, forever, () => liveRun.ledger.log());
}

/** A repository may be renamed, and another one take its name. */
function idOf({ repository, number }: Run): string {
  return `${repository.id}#${number}`;
}
