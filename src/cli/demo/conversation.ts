import type { Octokit } from '@octokit/rest';

interface PullAddress {
  readonly owner: string;
  readonly repo: string;
  readonly number: number;
}

/** Prints each comment, phase and check run of a pull request once. */
export class Conversation {
  readonly #client: Octokit;
  readonly #address: PullAddress;
  readonly #print: (line: string) => void;
  readonly #printed = new Set<string>();

  constructor(client: Octokit, address: PullAddress, print: (line: string) => void) {
    this.#client = client;
    this.#address = address;
    this.#print = print;
  }

  async follow(): Promise<void> {
    const { owner, repo, number } = this.#address;
    const { data: pull } = await this.#client.rest.pulls.get({ owner, repo, pull_number: number });
    const phase = pull.labels.map(({ name }) => name).find((name) => name.startsWith('coxswain:'));
    if (phase !== undefined)
      this.#once(`${phase}@${pull.head.sha}`, `#${number} is ${phase.slice('coxswain:'.length)}`);
    await this.#followChecks(pull.head.sha);
    await this.#followComments();
  }

  async #followChecks(ref: string): Promise<void> {
    const { owner, repo } = this.#address;
    const { data } = await this.#client.rest.checks.listForRef({ owner, repo, ref });
    for (const { id, name, conclusion, output } of data.check_runs) {
      if (conclusion === null) continue;
      this.#once(
        `check ${id} ${conclusion}`,
        `  check "${name}" on ${ref.slice(0, 7)}: ${conclusion}, ${output.title ?? ''}`,
      );
    }
  }

  async #followComments(): Promise<void> {
    const { owner, repo, number } = this.#address;
    const { data } = await this.#client.rest.issues.listComments({
      owner,
      repo,
      issue_number: number,
      per_page: 100,
    });
    for (const { id, user, body } of data) {
      const text = (body ?? '').replace(/<!--[\s\S]*?-->/g, '').trim();
      this.#once(`comment ${id}`, `${user?.login}:\n${text.replace(/^/gm, '  | ')}`);
    }
  }

  #once(key: string, line: string): void {
    if (this.#printed.has(key)) return;
    this.#printed.add(key);
    this.#print(line);
  }
}
