import type { Forge, LoggedRequest } from '@coxswain/forge';
import { type BlockState, readBlock } from '../../src/github/show/block.ts';
import type { Phase } from '../../src/steering/shapes/standing.ts';
import { eventually, type Progress } from './eventually.ts';
import { type LedgerContent, readLedger } from './ledger-content.ts';
import { at, type Person } from './person.ts';

/** A run's pull request as a person sees it: everything is read through GitHub's API and Git. */
export class PullClient {
  readonly number: number;
  readonly #forge: Forge;
  readonly #person: Person;

  constructor(forge: Forge, person: Person, number: number) {
    this.number = number;
    this.#forge = forge;
    this.#person = person;
  }

  async details() {
    const pull_number = this.number;
    return (await this.#person.octokit.rest.pulls.get({ ...at, pull_number })).data;
  }

  async branch(): Promise<string> {
    return (await this.details()).head.ref;
  }

  async head(): Promise<string> {
    return (await this.details()).head.sha;
  }

  /** Read through the issues API, which is cheaper than the pulls API and so suits polling. */
  async snapshot(): Promise<Snapshot> {
    const issue_number = this.number;
    const { data } = await this.#person.octokit.rest.issues.get({ ...at, issue_number });
    const labels = data.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
    return { labels, draft: data.draft ?? false, block: readBlock(data.body ?? '') };
  }

  async block(): Promise<BlockState | undefined> {
    return (await this.snapshot()).block;
  }

  /** Waits until both the label and the state in the body have the phase; returns that state. */
  async waitForPhase(phase: Phase, { iteration }: { iteration?: number } = {}): Promise<BlockState> {
    let last = '';
    const expected = `#${this.number} ${phase}${iteration === undefined ? '' : `, iteration ${iteration}`}`;
    const look = async () => {
      const { labels, block } = await this.snapshot();
      last = `last seen: ${labels} and ${block?.phase}, iteration ${block?.iteration}`;
      const isReached = labels.includes(`coxswain:${phase}`) && block?.phase === phase;
      return isReached && (iteration ?? block.iteration) === block.iteration ? block : undefined;
    };
    return this.#watch(expected, look, { instead: () => last });
  }

  /** Waits until the pull request is a draft, or no longer one. */
  async waitForDraft(wanted: boolean): Promise<void> {
    const look = async () => ((await this.snapshot()).draft === wanted ? true : undefined);
    await this.#watch(`#${this.number} ${wanted ? 'a draft' : 'out of draft'}`, look);
  }

  /** Waits until the pull request is closed, and not merged. */
  async waitForClosed(): Promise<void> {
    const look = async () => {
      const { state, merged } = await this.details();
      return (state === 'closed' && !merged) || undefined;
    };
    await this.#watch(`#${this.number} closed`, look);
  }

  /** Waits for a comment by the App that matches; returns its text. */
  async waitForComment(pattern: RegExp): Promise<string> {
    let last: readonly string[] = [];
    const look = async () => {
      last = await this.appComments();
      return last.findLast((text) => pattern.test(text));
    };
    return this.#watch(`${pattern} on #${this.number}`, look, {
      instead: () => `comments:\n${last.join('\n---\n')}`,
    });
  }

  /** All comments by the App, oldest first, without hidden markers. */
  async appComments(): Promise<readonly string[]> {
    const issue_number = this.number;
    const { octokit } = this.#person;
    const place = { ...at, issue_number, per_page: 100 };
    const comments = await octokit.paginate(octokit.rest.issues.listComments, place);
    return comments
      .filter(({ user }) => user?.login === 'coxswain[bot]')
      .map(({ body = '' }) => body.replace(/<!--[\s\S]*?-->/g, '').trim());
  }

  /** Waits until the App has added the reaction to a comment; returns all its reactions, sorted. */
  async waitForReaction(
    comment_id: number,
    content: 'rocket' | 'confused' | 'eyes',
  ): Promise<readonly string[]> {
    return this.#watch(`${content} on comment ${comment_id}`, async () => {
      const { data } = await this.#person.octokit.rest.reactions.listForIssueComment({ ...at, comment_id });
      const all = data.map((reaction): string => reaction.content).sort();
      return all.includes(content) ? all : undefined;
    });
  }

  async checks(ref?: string) {
    const { octokit } = this.#person;
    const place = { ...at, ref: ref ?? (await this.head()), per_page: 100 };
    return (await octokit.rest.checks.listForRef(place)).data.check_runs;
  }

  /** The newest check run of that name on the head. */
  async check(name: string) {
    const named = (await this.checks()).filter((check) => check.name === name);
    const [newest] = named.toSorted((one, other) => other.id - one.id);
    if (newest === undefined) throw new Error(`there is no check run ${name} on the head of #${this.number}`);
    return newest;
  }

  async ledger(): Promise<LedgerContent> {
    const ledger = await this.#findLedger();
    if (ledger === undefined) throw new Error(`#${this.number} has no ledger`);
    return ledger;
  }

  /** Waits until the ledger has that many events of the type; returns the ledger. */
  async waitForEvents(type: string, times = 1): Promise<LedgerContent> {
    const look = async () => {
      const ledger = await this.#findLedger();
      const found = ledger?.events.filter((event) => event.type === type).length ?? 0;
      return found >= times ? ledger : undefined;
    };
    const expected = `${times} × ${type} in the ledger of #${this.number}`;
    return this.#watch(expected, look, { when: () => pushesTo(this.#forge) });
  }

  /** Waits until something else can be seen. */
  waitUntil<T>(expected: string, look: () => Promise<T | undefined>): Promise<T> {
    return eventually(expected, look, { progress: () => progressOfApp(this.#forge) });
  }

  #findLedger(): Promise<LedgerContent | undefined> {
    return readLedger(`${this.#forge.url}/acme/widgets.git`, this.#person.token, this.number);
  }

  /** Checks again only after the App has made a request: nothing can have changed before. */
  #watch<T>(expected: string, look: () => Promise<T | undefined>, options: WatchOptions = {}): Promise<T> {
    const appRequests = () => requestsByApp(this.#forge).length;
    const { instead = () => '', when = appRequests } = options;
    let checkedAt = -1;
    const lookIfChanged = async () => {
      const before = when();
      if (before === checkedAt) return undefined;
      checkedAt = before;
      return look();
    };
    return eventually(expected, lookIfChanged, { instead, progress: () => progressOfApp(this.#forge) });
  }
}

interface WatchOptions {
  /** Describes what was seen last. */
  readonly instead?: () => string;
  /** Counts the requests that may have changed something. */
  readonly when?: () => number;
}

function pushesTo({ requests }: Forge): number {
  return requests.git.filter(({ path }) => path.endsWith('/git-receive-pack')).length;
}

/** What changes nothing, or nothing that people see, although it is sent with POST. */
const asks = /\/git-upload-pack$|\/access_tokens$|^\/graphql$/;

/** The App works as long as it makes requests, and gets on as long as some of them change something. */
export function progressOfApp(forge: Forge): Progress {
  const all = requestsByApp(forge);
  const changes = all.filter(({ method, path }) => method !== 'GET' && !asks.test(path));
  return { signs: all.length, done: changes.length };
}

function requestsByApp({ requests: { api, git } }: Forge): readonly LoggedRequest[] {
  const byApp = ({ actor, status }: LoggedRequest) => actor.startsWith('coxswain') || status === 0;
  return [...api, ...git].filter(byApp);
}

export interface Snapshot {
  readonly labels: readonly string[];
  readonly draft: boolean;
  readonly block: BlockState | undefined;
}
