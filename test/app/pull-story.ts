import type { Forge } from '../../src/forge/index.ts';
import { readBlock } from '../../src/github/show/block.ts';
import type { BlockState } from '../../src/github/show/block-state.ts';
import type { Phase } from '../../src/steering/state.ts';
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

  /** The run's phase as its label tells it. */
  async phase(): Promise<string | undefined> {
    const { labels } = await this.facts();
    const phases = labels.map((label) => label.name).filter((label) => label.startsWith('coxswain:'));
    return phases.length === 1 ? phases[0]?.slice('coxswain:'.length) : undefined;
  }

  async block(): Promise<BlockState | undefined> {
    return readBlock((await this.facts()).body ?? '');
  }

  /** Waits until label and body both say so; answers with what the body holds for programs. */
  async reaches(phase: Phase, { iteration }: { iteration?: number } = {}): Promise<BlockState> {
    let last = '';
    let asked = -1;
    const expected = `#${this.number} ${phase}${iteration === undefined ? '' : `, iteration ${iteration}`}`;
    const look = async () => {
      // While nobody asks the forge for anything, nothing can have changed.
      if (asked === this.#asked()) return undefined;
      const { labels, body } = await this.facts();
      const block = readBlock(body ?? '');
      asked = this.#asked();
      last = `${labels.map((label) => label.name)} and ${block?.phase}, iteration ${block?.iteration}`;
      const labelled = labels.some((label) => label.name === `coxswain:${phase}`);
      const isThere =
        labelled && block?.phase === phase && (iteration ?? block.iteration) === block.iteration;
      return isThere ? block : undefined;
    };
    return eventually(expected, look, { instead: () => `last seen: ${last}` });
  }

  /** Waits for a comment of the App's; answers with its text. */
  async hears(pattern: RegExp, times = 1): Promise<string> {
    let last: readonly string[] = [];
    const look = async () => {
      last = await this.heard();
      const found = last.filter((text) => pattern.test(text));
      return found.length >= times ? found.at(-1) : undefined;
    };
    const expected = `${times} × ${pattern} on #${this.number}`;
    return eventually(expected, look, { instead: () => `heard:\n${last.join('\n---\n')}` });
  }

  /** Everything the App has said here, oldest first, without what is hidden. */
  async heard(): Promise<readonly string[]> {
    const issue_number = this.number;
    const { octokit } = this.#eyes;
    const place = { ...at, issue_number, per_page: 100 };
    const comments = await octokit.paginate(octokit.rest.issues.listComments, place);
    return comments
      .filter(({ user }) => user?.login === 'coxswain[bot]')
      .map(({ body = '' }) => body.replace(/<!--[\s\S]*?-->/g, '').trim());
  }

  /** Waits until the App has reacted to a comment; answers with all its reactions, in order of the alphabet. */
  async reacts(comment_id: number, to: 'rocket' | 'confused' | 'eyes'): Promise<readonly string[]> {
    return eventually(`${to} on comment ${comment_id}`, async () => {
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

  #asked(): number {
    return this.#forge.requests.api.length + this.#forge.requests.git.length;
  }

  async ledger(): Promise<LedgerStory> {
    const ledger = await this.#findLedger();
    if (ledger === undefined) throw new Error(`#${this.number} has no ledger`);
    return ledger;
  }

  /** Waits until the ledger has an event of the type; answers with the ledger. */
  async remembers(type: string, times = 1): Promise<LedgerStory> {
    return eventually(`${times} × ${type} in the ledger of #${this.number}`, async () => {
      const ledger = await this.#findLedger();
      return ledger && ledger.events.filter((event) => event.type === type).length >= times
        ? ledger
        : undefined;
    });
  }

  #findLedger(): Promise<LedgerStory | undefined> {
    return readLedger(`${this.#forge.url}/acme/widgets.git`, this.#eyes.token, this.number);
  }
}
