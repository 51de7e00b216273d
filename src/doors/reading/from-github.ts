import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type Remote } from '../../git/git.ts';
import { openMirror } from '../../git/mirror.ts';
import { diffBetween } from '../../git/patches.ts';
import { ourLabel } from '../../github/names.ts';
import type { Octokit } from '../../github/octokit/connect.ts';
import { timeIn } from '../../github/octokit/fault.ts';
import { factsOf, type PullFacts } from '../../github/read/pulls.ts';
import { type BlockState, readBlock } from '../../github/show/block.ts';
import { readLog } from '../../ledger/directory.ts';
import { LedgerBroken, LedgerTooNew } from '../../ledger/errors.ts';
import { ledgerRef, parseEvents } from '../../ledger/format.ts';
import type { LedgerStep } from '../../ledger/ledger-steps.ts';
import { table } from '../../steering/phases/table.ts';
import { riskOf, severities } from '../../steering/shapes/gate-rules.ts';
import type { State } from '../../steering/state/state.ts';
import { said } from '../../words/parts/sanitize.ts';
import {
  type HistoryReport,
  type InboxEntry,
  inboxEntryShape,
  type RunSummary,
  runSummaryShape,
} from '../report/report-shapes.ts';
import { auditReport, logsReport, runReport } from '../report/run-report.ts';
import { type Fetched, type OwnLedger, ownLedger, proofOf } from './proven-ledger.ts';
import {
  type DiffChoice,
  type Listing,
  NotAvailable,
  type Reading,
  type RunPlace,
  type RunReader,
  type WholeRun,
} from './reader.ts';

interface GitHubSource {
  readonly octokit: Octokit;
  /** Where GitHub is on the web, such as `https://github.com`. */
  readonly web: string;
  readonly token: string;
  /** Ledgers are fetched into this folder, which whoever gives it removes. */
  readonly scratch: string;
  /** Copies of repositories stay in this folder for the next time. */
  readonly cache: string;
  /** The slug of the App that is Coxswain, where the author of a pull request does not tell. */
  readonly app: string | undefined;
}

/** Reads runs from GitHub and Git alone, with a person's token; no ledger is believed without proof. */
export class GitHubReader implements RunReader {
  readonly #source: GitHubSource;

  constructor(source: GitHubSource) {
    this.#source = source;
  }

  async run(at: RunPlace) {
    const { pull } = await this.#pull(at);
    const { fetched, doubt } = await this.#read(at, pull);
    if (fetched !== undefined) {
      await forget(fetched.dir);
      const web = pull.url.replace(/\/pull\/\d+$/, '');
      return { report: runReport(fetched.ledger.state, { web, trust: trustIn(doubt) }), doubt };
    }
    const report = summaryFrom(pull, idOf(at));
    if (report !== undefined) return { report, doubt };
    throw new NotAvailable(`${idOf(at)} is not a run: ${doubt}, and its description has no state`);
  }

  async diff(at: RunPlace, { file, lines }: DiffChoice) {
    const { pull, base_sha } = await this.#pull(at);
    const mirror = await openMirror({ dir: this.#folderOf(at), remote: this.#remote(pull) });
    await mirror.fetch();
    await mirror.fetch([`+refs/pull/${at.number}/head:refs/coxswain-pulls/${at.number}`]);
    // The base as it was when the pull request last changed; a merged one would have no changes otherwise.
    const base = (await mirror.resolve(base_sha)) ?? (await mirror.resolve(`refs/heads/${pull.base_ref}`));
    const head = await mirror.resolve(pull.head_sha);
    if (base === undefined || head === undefined)
      throw new NotAvailable(
        `the commits of ${idOf(at)} are no longer there: ${pull.url}/files may have them`,
      );
    const options = { repository: at.repo, budget: lines, ...(file !== undefined && { file }) };
    return { report: await mirror.reading(() => diffBetween(mirror.dir, { base, head }, options)) };
  }

  async logs(at: RunPlace, verifier?: string) {
    const { fetched, doubt } = await this.#ledger(at);
    const { state, log } = fetched.ledger;
    const { shown } = state;
    const newest = parseEvents(log, idOf(at)).findLast((event) => event.type === 'verified');
    const last = shown === null ? newest : { head: shown.head_sha, verifiers: shown.verifiers };
    return { report: logsReport(last, verifier), doubt };
  }

  async history(at: RunPlace) {
    const { fetched, doubt } = await this.#ledger(at);
    return { report: await historyOf(fetched), doubt };
  }

  async audit(at: RunPlace) {
    const { fetched, doubt } = await this.#ledger(at);
    return { report: auditReport(fetched.ledger.state), doubt };
  }

  /** What the ledger of a run says now, for whoever wants to act on it. */
  async state(at: RunPlace): Promise<Reading<State>> {
    const { fetched, doubt } = await this.#ledger(at);
    return { report: fetched.ledger.state, doubt };
  }

  /** Reads the entries of a ledger after a number, oldest first, without asking GitHub's API. */
  async stepsSince({ owner, repo, number }: RunPlace, seq: number): Promise<readonly LedgerStep[]> {
    const { web, token } = this.#source;
    const remote = { url: `${web}/${owner}/${repo}.git`, token: async () => token };
    const own = await this.#own(remote, number);
    try {
      return await own.stepsSince(seq);
    } finally {
      await forget(own.dir);
    }
  }

  /** All that the ledger of a run holds. */
  async whole(at: RunPlace): Promise<Reading<WholeRun>> {
    const { fetched, doubt } = await this.#ledger(at);
    const { state, log } = fetched.ledger;
    const events = parseEvents(log, idOf(at));
    const history = await historyOf(fetched);
    return { report: { trust: trustIn(doubt), state, events, history }, doubt };
  }

  async inbox(repository?: string) {
    const { found, ...rest } = await this.#pulls(asking, repository);
    return { ...rest, entries: found.flatMap(({ pull, id }) => entryFrom(pull, id) ?? []).sort(byUrgency) };
  }

  async runs(repository?: string) {
    const { found, ...rest } = await this.#pulls([ourLabel], repository);
    return { ...rest, entries: found.flatMap(({ pull, id }) => summaryFrom(pull, id) ?? []) };
  }

  async #pull({ owner, repo, number }: RunPlace) {
    const { data } = await this.#source.octokit.rest.pulls.get({ owner, repo, pull_number: number });
    return { pull: factsOf(data), base_sha: data.base.sha };
  }

  async #ledger(at: RunPlace): Promise<{ fetched: Fetched; doubt: string | undefined }> {
    const { pull } = await this.#pull(at);
    const { fetched, doubt } = await this.#read(at, pull);
    if (fetched !== undefined) return { fetched, doubt };
    throw new NotAvailable(`the ledger of ${idOf(at)} cannot be read: ${doubt}`);
  }

  /** The ledger, if it can be read, and why it is not proven. */
  async #read(
    at: RunPlace,
    pull: PullFacts,
  ): Promise<{ fetched: Fetched | undefined; doubt: string | undefined }> {
    const { octokit, app } = this.#source;
    try {
      const own = await this.#own(this.#remote(pull), at.number);
      const ledger = await own.newest();
      if (ledger === undefined) return { fetched: undefined, doubt: 'it has no ledger' };
      const fetched = { at, pull, ledger, ...own };
      const { ledger: proven, doubt } = await proofOf(octokit, fetched, app);
      return { fetched: { ...fetched, ledger: proven }, doubt };
    } catch (fault) {
      if (!(fault instanceof GitError || fault instanceof LedgerBroken || fault instanceof LedgerTooNew))
        throw fault;
      return { fetched: undefined, doubt: fault.message };
    }
  }

  async #own(remote: Remote, number: number): Promise<OwnLedger> {
    return ownLedger(await mkdtemp(join(this.#source.scratch, 'ledger-')), remote, number);
  }

  /** Takes the address that GitHub names now: Git does not follow a repository that was renamed. */
  #remote({ url }: PullFacts): Remote {
    const { web, token } = this.#source;
    if (!url.startsWith(`${web}/`))
      throw new Error(`the pull request is at ${url}, which is not below ${web}`);
    return { url: url.replace(/\/pull\/\d+$/, '.git'), token: async () => token };
  }

  #folderOf({ owner, repo }: RunPlace): string {
    const { cache, web } = this.#source;
    return join(cache, new URL(web).host.replace(':', '_'), owner.toLowerCase(), `${repo.toLowerCase()}.git`);
  }

  /** Asks GitHub's search for open pull requests with one of these labels, of one repository or of all. */
  async #pulls(labels: readonly string[], repository: string | undefined): Promise<Found> {
    const { search } = this.#source.octokit.rest;
    const anyOf = labels.map((label) => `"${label}"`).join(',');
    const place = repository === undefined ? '' : ` repo:${repository}`;
    const wanted = { q: `is:pr is:open archived:false label:${anyOf}${place}`, per_page: 100 };
    const found: Found['found'][number][] = [];
    for (let page = 1; ; page++) {
      const { data, headers } = await search.issuesAndPullRequests({ ...wanted, page });
      for (const { html_url, body, updated_at, number, repository_url } of data.items) {
        const id = `${repository_url.split('/').slice(-2).join('/')}#${number}`;
        found.push({ id, pull: { url: html_url, body: body ?? '', updated_at } });
      }
      const more = data.items.length > 0 && found.length < Math.min(data.total_count, maxFound);
      if (more) continue;
      const as_of = timeIn(headers.date) ?? new Date().toISOString();
      const sso = String(headers['x-github-sso'] ?? '').startsWith('partial-results');
      const left_out = said([
        data.total_count > found.length &&
          `GitHub's search lists ${found.length} of ${data.total_count}: --repo or a server shows more.`,
        data.incomplete_results && "GitHub's search did not come to its end, so there may be more.",
        sso && 'Organizations that ask for single sign-on are left out: authorize your token for them.',
      ]);
      return { as_of, found, left_out };
    }
  }
}

/** GitHub's search lists no more, however many there are. */
const maxFound = 1000;

type Found = Omit<Listing<unknown>, 'entries'> & {
  readonly found: readonly { readonly id: string; readonly pull: Described }[];
};

/** The labels of the phases in which people are asked, even if they are late. */
const asking = Object.entries(table).flatMap(([phase, row]) =>
  'request' in row || phase === 'timed_out' ? [`${ourLabel}:${phase}`] : [],
);

async function historyOf({ dir, remote, at, ledger }: Fetched): Promise<HistoryReport> {
  const place = { dir, remote, ref: ledgerRef(ledger.namespace, at.number) };
  const { ref, commits, omitted } = await readLog(place, ledger.commit);
  return { ledger: ref, entries: commits, omitted };
}

/** The riskiest first, then what has waited longest; a risk that is not known is among the high ones. */
function byUrgency(one: InboxEntry, other: InboxEntry): number {
  const rank = ({ risk_level }: InboxEntry) => severities.indexOf(risk_level ?? 'high');
  return rank(other) - rank(one) || one.waiting_since.localeCompare(other.waiting_since);
}

/** Whoever watches a run reads it many times, and each time into a folder of its own. */
function forget(dir: string): Promise<void> {
  return rm(dir, { recursive: true, force: true });
}

function idOf({ owner, repo, number }: RunPlace): string {
  return `${owner}/${repo}#${number}`;
}

function trustIn(doubt: string | undefined): WholeRun['trust'] {
  return doubt === undefined ? 'verified' : 'unverified';
}

/** The part of a pull request that is read, in a list as alone. */
interface Described {
  readonly url: string;
  readonly body: string;
  readonly updated_at: string;
}

/** What a pull request's body says of its run, which anybody with write access can change. */
function summaryFrom(pull: Described, id: string): RunSummary | undefined {
  const block = readBlock(pull.body, id);
  const summary = block && runSummaryShape.safeParse(summaryOf(block, pull, id));
  return summary?.data;
}

/** Says what it says of a run that waits for people; undefined if it does not. */
function entryFrom(pull: Described, id: string): InboxEntry | undefined {
  const block = readBlock(pull.body, id);
  const open = block?.open_interaction;
  if (block === undefined || open === null || open === undefined) return undefined;
  const timeout = open.auto_approve_timeout ?? null;
  const entry = inboxEntryShape.safeParse({
    ...summaryOf(block, pull, id),
    kind: open.kind,
    reason: open.reason ?? '',
    risk_level: open.risk_level ?? riskOf(block.gates),
    waiting_since: open.opened_at,
    proceeds_at: timeout === null ? null : later(open.opened_at, timeout),
    // The body tells costs only of iterations that were steered.
    cost: {},
  });
  return entry.data;
}

function summaryOf(block: BlockState, { url, updated_at }: Described, id: string): RunSummary {
  const { task, phase, iteration, max_iterations, score, band, head_sha } = block;
  const facts = { phase, iteration, max_iterations, score, band, head_sha };
  return { ...facts, run: id, title: task.title, url, updated_at, trust: 'unverified' };
}

/** Unreadable if the time is; the schema says what then. */
function later(at: string, seconds: number): string {
  const time = Date.parse(at) + seconds * 1000;
  return Number.isNaN(time) ? at : new Date(time).toISOString();
}
