import { GitError, git, ObjectDamaged, type Remote } from '../../git/git.ts';
import { inside, readObjects } from '../../git/objects.ts';
import { type LedgerTip, tipIn } from '../../github/marks.ts';
import { isDecisionOn } from '../../github/names.ts';
import type { Octokit } from '../../github/octokit/connect.ts';
import { slugOf } from '../../github/own.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import { fetchHead, fetchHistory, makeDirectory } from '../../ledger/directory.ts';
import { type LedgerHead, ledgerRef, parseEvents, parseState } from '../../ledger/format.ts';
import { type LedgerStep, newerThan, readSteps } from '../../ledger/ledger-steps.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type { State } from '../../steering/state/state.ts';
import type { RunPlace } from './reader.ts';

/** A ledger as it was fetched, and the pull request that GitHub says it belongs to. */
export interface Fetched {
  readonly at: RunPlace;
  readonly pull: PullFacts;
  readonly ledger: LedgerHead;
  readonly dir: string;
  readonly remote: Remote;
}

/** A ledger as far as it is proven, or all of it and why it is not. */
interface Proof {
  readonly ledger: LedgerHead;
  /** Undefined if it is proven. */
  readonly doubt: string | undefined;
}

/**
 * Everybody with write access can push a ledger, and edit the body and all comments. What they cannot do is
 * make a check run as our App. So a ledger is proven if its commit is the one that the newest decision of the
 * App on the pull request's head names, or if it has gone on from there and nothing in the state has changed
 * but what is still to be done for it; its events are then those up to there.
 */
export async function proofOf(octokit: Octokit, fetched: Fetched, app: string | undefined): Promise<Proof> {
  const { at, pull, ledger } = fetched;
  const unproven = (doubt: string) => ({ ledger, doubt });
  const slug = app ?? authorOf(pull);
  if (slug === undefined) return unproven(noApp);
  if (slug === workflows) return unproven(anyWorkflow);
  const tip = await newestTip(octokit, at, { head: pull.head_sha, slug });
  if (tip === undefined)
    return unproven(`the App ${slug} has not drawn a decision on ${shortSha(pull.head_sha)}`);
  if (tip.commit === ledger.commit) return { ledger, doubt: undefined };
  const named = await headAt(fetched, tip.commit);
  const which = `number ${tip.seq}, which the App's newest check run names`;
  if (named === undefined) return unproven(`its ledger does not contain ${which}`);
  return substance(named.state) === substance(ledger.state)
    ? { ledger: { ...ledger, commit: tip.commit, log: named.log }, doubt: undefined }
    : unproven(`its ledger has gone on since ${which}, to number ${ledger.state.seq}`);
}

/** GitHub reserves it. Any workflow on any branch, which is any writer, acts as this App. */
const workflows = 'github-actions';

const anyWorkflow =
  'the Action presents it, and any workflow of the repository can make the check runs that would prove it';

const noApp =
  'its pull request was not opened by an App, so nothing tells which App is Coxswain here: COXSWAIN_APP names it';

/** Only GitHub says who opened a pull request, and no person can have the login of a bot. */
function authorOf({ author }: PullFacts): string | undefined {
  return author.endsWith('[bot]') ? slugOf(author) : undefined;
}

async function newestTip(
  octokit: Octokit,
  { owner, repo, number }: RunPlace,
  { head, slug }: { readonly head: string; readonly slug: string },
): Promise<LedgerTip | undefined> {
  const wanted = { owner, repo, ref: head, filter: 'all', per_page: 100 } as const;
  const runs = await octokit.paginate(octokit.rest.checks.listForRef, wanted);
  const [newest] = runs
    .filter(({ app, external_id }) => app?.slug === slug && isDecisionOn(number, external_id))
    .toSorted((one, other) => other.id - one.id);
  return tipIn(newest?.output.text);
}

/** What the ledger said at that commit; undefined if it has never contained it. */
async function headAt({ dir, remote, ledger, at }: Fetched, commit: string) {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  await fetchHistory({ dir, remote, ref: ledgerRef(ledger.namespace, at.number) });
  try {
    await git(['merge-base', '--is-ancestor', commit, ledger.commit], inside(dir));
  } catch (fault) {
    if (fault instanceof GitError && fault.exitCode !== null) return undefined;
    throw fault;
  }
  const [state, log] = await readObjects(dir, [`${commit}:state.json`, `${commit}:events.jsonl`]);
  return {
    state: parseState(state?.content, `ledger of #${at.number} at ${commit}`),
    log: log?.content ?? '',
  };
}

/** A state without what changes when the App records that it has done something. */
function substance(state: State): string {
  const { seq: _, updated_at: __, owed: ___, undone: ____, threads: _____, ...rest } = state;
  return JSON.stringify(rest);
}

/** The ledger of a run, as the person's own token can fetch it. */
export interface OwnLedger {
  readonly dir: string;
  readonly remote: Remote;
  /** Its newest commit; undefined if there is none. */
  newest(): Promise<LedgerHead | undefined>;
  /** Reads the entries after that number, oldest first. */
  stepsSince(seq: number): Promise<readonly LedgerStep[]>;
}

/** The ledger of a pull request, which is fetched into this folder. */
export async function ownLedger(dir: string, remote: Remote, number: number): Promise<OwnLedger> {
  await makeDirectory(dir);
  // Nobody but the App has a key, so a ledger is proven by other means.
  const identity = { repositoryId: 0, number, presenter: 'app', seal: 'not_checked' } as const;
  const newest = () => fetchHead(dir, remote, identity);
  return {
    ...{ dir, remote, newest },
    stepsSince: async (seq) => {
      const head = await newest();
      if (head === undefined) return [];
      const { length: entries } = parseEvents(head.log, `ledger of #${number}`);
      const count = newerThan(seq, { seq: head.state.seq, entries });
      if (count === 0) return [];
      await fetchHistory({ dir, remote, ref: ledgerRef(head.namespace, number) }, count + 1);
      const read = await readSteps(dir, head.commit, seq).catch((fault: unknown) => {
        // While its history was fetched, the ledger went on: whoever waits asks again.
        if (fault instanceof ObjectDamaged) return { steps: [] };
        throw fault;
      });
      return read.steps;
    },
  };
}
