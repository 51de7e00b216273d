import type { Forge } from '@coxswain/forge';
import { Octokit } from '@octokit/rest';
import { workCopy } from '../git/work-copy.ts';
import { eventually } from './eventually.ts';
import { PullClient, progressOfApp } from './pull-client.ts';

/** The repository of all these tests. */
export const at = { owner: 'acme', repo: 'widgets' } as const;

/** A query parameter that distinguishes the tests' own requests from the App's. */
export const byPeople = 'by=people';

/** A user who does what people do on GitHub's pages. */
export class Person {
  readonly login: string;
  readonly token: string;
  readonly octokit: Octokit;
  readonly #forge: Forge;

  constructor(forge: Forge, login: string, token: string) {
    this.login = login;
    this.token = token;
    this.#forge = forge;
    this.octokit = new Octokit({ auth: token, baseUrl: forge.apiUrl, log: silentLog });
    this.octokit.hook.before('request', (options) => {
      options.url += `${options.url.includes('?') ? '&' : '?'}${byPeople}`;
    });
  }

  async opensIssue(body: string, title = 'Widgets are wrong'): Promise<number> {
    const { data } = await this.octokit.rest.issues.create({ ...at, title, body });
    return data.number;
  }

  async labels(issue: number, label = 'coxswain'): Promise<void> {
    await this.octokit.rest.issues.addLabels({ ...at, issue_number: issue, labels: [label] });
  }

  /** Opens an issue, labels it, and waits for the draft pull request. */
  async starts(task: string): Promise<PullClient> {
    const issue = await this.opensIssue(task);
    await this.labels(issue);
    return this.findsPullFor(issue);
  }

  /** Waits for the open pull request that closes the issue. */
  async findsPullFor(issue: number): Promise<PullClient> {
    const look = async () => {
      const { data } = await this.octokit.rest.issues.listForRepo({ ...at, state: 'open' });
      const found = data.find(({ body }) => body?.includes(`Closes #${issue},`));
      return found && this.looksAt(found.number);
    };
    const progress = () => progressOfApp(this.#forge);
    return eventually(`a pull request for issue #${issue}`, look, { progress });
  }

  looksAt(number: number): PullClient {
    return new PullClient(this.#forge, this, number);
  }

  /** Returns the comment's id. */
  async says(where: PullClient | number, body: string): Promise<number> {
    const issue_number = numberOf(where);
    const { data } = await this.octokit.rest.issues.createComment({ ...at, issue_number, body });
    return data.id;
  }

  async edits(comment_id: number, body: string): Promise<void> {
    await this.octokit.rest.issues.updateComment({ ...at, comment_id, body });
  }

  async deletes(comment_id: number): Promise<void> {
    await this.octokit.rest.issues.deleteComment({ ...at, comment_id });
  }

  async reviews(where: PullClient, review: Review): Promise<void> {
    const { data } = await this.octokit.rest.pulls.createReview({
      ...at,
      pull_number: where.number,
      ...review,
      comments: [...(review.comments ?? [])],
    });
    if (data.state === 'PENDING') throw new Error(`the review of ${this.login} was not submitted`);
  }

  /** Clicks a button of the run's check on the head. */
  async clicks(where: PullClient, identifier: string): Promise<void> {
    const check = await where.check('Coxswain');
    this.#forge.seed.clickCheckRunAction('acme/widgets', check.id, { identifier, login: this.login });
  }

  async closes(where: PullClient): Promise<void> {
    await this.octokit.rest.pulls.update({ ...at, pull_number: where.number, state: 'closed' });
  }

  async reopens(where: PullClient): Promise<void> {
    await this.octokit.rest.pulls.update({ ...at, pull_number: where.number, state: 'open' });
  }

  async retargets(where: PullClient, base: string): Promise<void> {
    await this.octokit.rest.pulls.update({ ...at, pull_number: where.number, base });
  }

  async marksReady(where: PullClient): Promise<void> {
    const { node_id, draft } = await where.details();
    const mutation = `mutation ($id: ID!) {
      markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { id } }
    }`;
    if (draft) await this.octokit.graphql(mutation, { id: node_id });
  }

  async merges(where: PullClient): Promise<void> {
    await this.octokit.rest.pulls.merge({ ...at, pull_number: where.number });
  }

  /**
   * Commits on top of the branch and pushes, to `to` if given; `force` replaces the branch's last commit.
   * Returns the new head.
   */
  async pushes(branch: string, files: Files, { force = false, to = branch } = {}): Promise<string> {
    return this.#withClone(async (copy, url) => {
      await copy.git('fetch', '--quiet', url, branch);
      await copy.git('checkout', '--quiet', '-b', 'here', force ? 'FETCH_HEAD~1' : 'FETCH_HEAD');
      const sha = await copy.commit(files);
      await copy.git('push', '--quiet', ...(force ? ['--force'] : []), url, `here:refs/heads/${to}`);
      return sha;
    });
  }

  async deletesBranch(branch: string): Promise<void> {
    await this.octokit.rest.git.deleteRef({ ...at, ref: `heads/${branch}` });
  }

  async #withClone<T>(act: (copy: Awaited<ReturnType<typeof workCopy>>, url: string) => Promise<T>) {
    const url = `${this.#forge.url.replace('://', `://x-access-token:${this.token}@`)}/acme/widgets.git`;
    const copy = await workCopy();
    try {
      return await act(copy, url);
    } finally {
      await copy.remove();
    }
  }
}

type Files = Readonly<Record<string, string>>;

export interface Review {
  readonly event: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';
  readonly body?: string;
  readonly comments?: readonly { readonly path: string; readonly line: number; readonly body: string }[];
}

function numberOf(where: PullClient | number): number {
  return typeof where === 'number' ? where : where.number;
}

const silent = () => undefined;
const silentLog = { debug: silent, info: silent, warn: silent, error: silent };
