import { humanText, readBlock } from '../../../github/show/block.ts';
import type { DiffText } from '../../../github/words/index.ts';
import type { LiveRun } from '../../../runs/live-run.ts';
import { diffOf, sourcesOf } from '../../../runs/sources.ts';
import type { Event } from '../../../steering/event.ts';
import type { VerifierOutput } from '../../../steering/evidence.ts';
import type { State } from '../../../steering/state.ts';
import type { ThreadPlace } from '../place.ts';
import { type Had, had } from './had.ts';
import type { Reader } from './reader.ts';
import type { Shelf } from './shelf.ts';
import { type Conversation, namesOf, readConversation } from './thread.ts';

/** All that is shown of one run. */
export interface RunReading {
  readonly place: ThreadPlace;
  readonly pull: PullReading;
  readonly state: Had<State>;
  readonly conversation: Had<Conversation>;
  readonly checks: Had<readonly CheckReading[]>;
  /** What the verifiers last printed, of this head or an earlier one. */
  readonly outputs: Had<readonly VerifierOutput[]>;
  readonly diff: Had<DiffText>;
  /** Oldest first. */
  readonly events: Had<readonly Event[]>;
}

export interface PullReading {
  readonly title: string;
  /** What people wrote, without our block. */
  readonly body: string;
  readonly author: string;
  readonly at: string;
  readonly draft: boolean;
  readonly open: boolean;
  readonly merged: boolean;
  readonly labels: readonly string[];
  readonly branch: string;
  readonly base: string;
  readonly head_sha: string;
  readonly url: string;
  /** The ledger's sequence that the pull request was last drawn from. */
  readonly drawn: number;
}

export interface CheckReading {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly url: string | null;
}

export interface RunSources {
  readonly reader: Reader;
  /** For what comes out of Git. */
  readonly shelf: Shelf;
  readonly liveRun: LiveRun;
  readonly full: boolean;
}

const noRun = 'This pull request is not a run: it has no ledger.';
const noOutputs = 'No verifier has spoken yet.';

/** Reads GitHub first: who may not see the pull request is shown nothing from Git either. */
export async function readRun(place: ThreadPlace, sources: RunSources): Promise<RunReading> {
  const pull = await readPull(sources.reader, place);
  const [state, conversation, checks] = await Promise.all([
    had('The run', readState(sources, pull), noRun),
    had('The conversation', readConversation(sources.reader, place)),
    had('The list of check runs', readChecks(sources.reader, place, pull)),
  ]);
  const [outputs, diff, events] = await Promise.all([
    had(
      'What the verifiers printed',
      ofRun(state, (known) => readOutputs(sources, known)),
      noOutputs,
    ),
    had(
      'The diff',
      ofRun(state, (known) => readDiff(sources, known)),
    ),
    had(
      'The history',
      ofRun(state, (known) => readEvents(sources, known)),
    ),
  ]);
  return { place, pull, state, conversation, checks, outputs, diff, events };
}

async function readPull(reader: Reader, { owner, repo, number }: ThreadPlace): Promise<PullReading> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const { data } = await reader.get(route, { owner, repo, pull_number: number });
  const body = data.body ?? '';
  return {
    title: data.title,
    body: humanText(body, `${owner}/${repo}#${number}`),
    author: data.user.login,
    at: data.created_at,
    draft: data.draft ?? false,
    open: data.state === 'open',
    merged: data.merged,
    labels: namesOf(data.labels),
    branch: data.head.ref,
    base: data.base.ref,
    head_sha: data.head.sha,
    url: data.html_url,
    drawn: readBlock(body)?.seq ?? 0,
  };
}

const recallFreshMs = 3000;

/** What we remember, unless the pull request was drawn from something newer by another App or a workflow. */
async function readState({ liveRun, shelf }: RunSources, { drawn }: PullReading): Promise<State | undefined> {
  if (liveRun.newest !== undefined && liveRun.newest.seq >= drawn) return liveRun.newest;
  const recalled = await shelf.get(`recall ${liveRun.name}`, recallFreshMs, () => liveRun.readLedger());
  return liveRun.newest ?? recalled?.state;
}

async function readChecks(
  reader: Reader,
  { owner, repo }: ThreadPlace,
  { head_sha }: PullReading,
): Promise<readonly CheckReading[]> {
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

/** What only a run has is not looked for where there is none. */
async function ofRun<T>(state: Had<State>, read: (state: State) => Promise<T>): Promise<T | undefined> {
  return 'had' in state ? read(state.had) : undefined;
}

const forAsLongAsItIsUsed = Number.POSITIVE_INFINITY;

function readOutputs({ liveRun, shelf }: RunSources, { seq }: State) {
  return shelf.get(`outputs ${liveRun.name} ${seq}`, forAsLongAsItIsUsed, () => sourcesOf(liveRun).outputs());
}

async function readDiff({ liveRun, shelf, full }: RunSources, { head }: State): Promise<DiffText> {
  return shelf.get(`diff ${liveRun.name} ${head} ${full}`, forAsLongAsItIsUsed, async () => {
    const diff = await diffOf(liveRun, null, full);
    if (diff === undefined) throw new Error(`the branches of ${liveRun.name} are not here`);
    return diff;
  });
}

function readEvents({ liveRun, shelf }: RunSources, { seq }: State): Promise<readonly Event[]> {
  return shelf.get(`events ${liveRun.name} ${seq}`, forAsLongAsItIsUsed, () => liveRun.events());
}
