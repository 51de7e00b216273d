import type { Forge, LoggedRequest } from '@coxswain/forge';
import { readBlock } from '../../src/github/show/block.ts';
import type { BlockState } from '../../src/github/show/block-state.ts';
import type { Phase } from '../../src/steering/standing.ts';
import { eventually } from './eventually.ts';
import { type LedgerStory, readLedger } from './ledger-story.ts';
import { at, type Person } from './person.ts';

/** A run's pull request through somebody's eyes: nothing here knows more than GitHub's API and Git tell. */
export class PullStory {
  readonly number: number;
  readonly #forge: Forge;
  readonly #eyes: Person;

  constructor(forge: Forge, eyes: Person, number: number) {
    this.number = number;
    this.#forge = forge;
    this.#eyes = eyes;
  }

  async facts() {
    const pull_number = this.number;
    return (await this.#eyes.octokit.rest.pulls.get({ ...at, pull_number })).data;
  }

  async branch(): Promise<string> {
    return (await this.facts()).head.ref;
  }

  async head(): Promise<string> {
    return (await this.facts()).head.sha;
  }

  /** What an issue has of a pull request too: it costs GitHub less, so that it can be asked for often. */
  async glance(): Promise<Glance> {
    const issue_number = this.number;
    const { data } = await this.#eyes.octokit.rest.issues.get({ ...at, issue_number });
    const labels = data.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
    return { labels, draft: data.draft ?? false, block: readBlock(data.body ?? '') };
  }

  async block(): Promise<BlockState | undefined> {
    return (await this.glance()).block;
  }

  /** Waits until label and body both say so; answers with what the body holds for programs. */
  async reaches(phase: Phase, { iteration }: { iteration?: number } = {}): Promise<BlockState> {
    let last = '';
    const expected = `#${this.number} ${phase}${iteration === undefined ? '' : `, iteration ${iteration}`}`;
    const look = async () => {
      const { labels, block } = await this.glance();
      last = `last seen: ${labels} and ${block?.phase}, iteration ${block?.iteration}`;
      const isThere = labels.includes(`coxswain:${phase}`) && block?.phase === phase;
      return isThere && (iteration ?? block.iteration) === block.iteration ? block : undefined;
    };
    return this.#watch(expected, look, { instead: () => last });
  }

  /** Waits until it is a draft no more, or one again. */
  async isDraft(wanted: boolean): Promise<void> {
    const look = async () => ((await this.glance()).draft === wanted ? true : undefined);
    await this.#watch(`#${this.number} ${wanted ? 'a draft' : 'out of draft'}`, look);
  }

  /** Waits for a comment of the App's; answers with its text. */
  async hears(pattern: RegExp): Promise<string> {
    let last: readonly string[] = [];
    const look = async () => {
      last = await this.incoming();
      return last.findLast((text) => pattern.test(text));
    };
    return this.#watch(`${pattern} on #${this.number}`, look, {
      instead: () => `heard:\n${last.join('\n---\n')}`,
    });
  }

  /** Everything the App has said here, oldest first, without what is hidden. */
  async incoming(): Promise<readonly string[]> {
    const issue_number = this.number;
    const { octokit } = this.#eyes;
    const place = { ...at, issue_number, per_page: 100 };
    const comments = await octokit.paginate(octokit.rest.issues.listComments, place);
    return comments
      .filter(({ user }) => user?.login === 'coxswain[bot]')
      .map(({ body = '' }) => body.replace(/<!--[\s\S]*?-->/g, '').trim());
  }

  /**
   * Waits until the App has reacted to a comment; answers with all its reactions, in order of the alphabet.
   */
  async reacts(comment_id: number, to: 'rocket' | 'confused' | 'eyes'): Promise<readonly string[]> {
    return this.#watch(`${to} on comment ${comment_id}`, async () => {
      const { data } = await this.#eyes.octokit.rest.reactions.listForIssueComment({ ...at, comment_id });
      const all = data.map(({ content }) => content).sort();
      return all.includes(to) ? all : undefined;
    });
  }

  async checks(ref?: string) {
    const { octokit } = this.#eyes;
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

  async ledger(): Promise<LedgerStory> {
    const ledger = await this.#findLedger();
    if (ledger === undefined) throw new Error(`#${this.number} has no ledger`);
    return ledger;
  }

  /** Waits until the ledger has an event of the type; answers with the ledger. */
  async remembers(type: string, times = 1): Promise<LedgerStory> {
    const look = async () => {
      const ledger = await this.#findLedger();
      const found = ledger?.events.filter((event) => event.type === type).length ?? 0;
      return found >= times ? ledger : undefined;
    };
    const expected = `${times} × ${type} in the ledger of #${this.number}`;
    return this.#watch(expected, look, { when: () => pushesTo(this.#forge) });
  }

  #findLedger(): Promise<LedgerStory | undefined> {
    return readLedger(`${this.#forge.url}/acme/widgets.git`, this.#eyes.token, this.number);
  }

  /** Looks whenever the App has asked the forge for something: otherwise it cannot have changed anything. */
  #watch<T>(expected: string, look: () => Promise<T | undefined>, options: WatchOptions = {}): Promise<T> {
    const asked = () => askedByApp(this.#forge);
    const { instead = () => '', when = asked } = options;
    let looked = -1;
    const lookAgain = async () => {
      const before = when();
      if (before === looked) return undefined;
      looked = before;
      return look();
    };
    return eventually(expected, lookAgain, { instead, progress: asked });
  }
}

interface WatchOptions {
  /** What was seen last. */
  readonly instead?: () => string;
  /** Counts what can have changed something. */
  readonly when?: () => number;
}

function pushesTo({ requests }: Forge): number {
  return requests.git.filter(({ path }) => path.endsWith('/git-receive-pack')).length;
}

/** How often the App has asked the forge for something. */
export function askedByApp({ requests: { api, git } }: Forge): number {
  const byApp = ({ actor, status }: LoggedRequest) => actor.startsWith('coxswain') || status === 0;
  return [...api, ...git].filter(byApp).length;
}

export interface Glance {
  readonly labels: readonly string[];
  readonly draft: boolean;
  readonly block: BlockState | undefined;
}
