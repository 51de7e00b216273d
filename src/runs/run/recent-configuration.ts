import { triggerIn } from '../../config/read.ts';
import { fileOnDefaultBranch } from '../../github/read/repository-ref.ts';
import { RecentMap } from '../../repository/recent-map.ts';
import type { Repository } from '../../repository/repository.ts';
import type { Services } from './services.ts';

/**
 * How long a configuration is remembered, in milliseconds: a change takes effect that late for labels, and
 * for pull requests that are no runs.
 */
const maxAgeMs = 60_000;

/** No configuration is as long; whoever can write to many repositories could otherwise fill the memory. */
const maxLength = 64 * 1024;

/** What is needed of a repository to read its configuration. */
type Labelled = Pick<Repository, 'id' | 'owner' | 'name' | 'octokit'>;

/**
 * The configuration on the default branch of each repository, as it was a moment ago. Every label on any
 * issue and every pull request asks for it, so that it is read from GitHub's API, without a copy of the
 * repository, and remembered.
 */
export class RecentConfiguration {
  readonly #services: Pick<Services, 'configPath' | 'clock'>;
  readonly #known = new RecentMap<
    number,
    { readonly at: number; readonly text: Promise<string | undefined> }
  >({ max: 1_000 });

  constructor(services: Pick<Services, 'configPath' | 'clock'>) {
    this.#services = services;
  }

  /** The label that starts runs. */
  async trigger(repository: Labelled): Promise<string> {
    return triggerIn((await this.text(repository)) ?? '');
  }

  /** Undefined if there is no such file. Rejects if GitHub cannot be asked; the next call asks again. */
  text(repository: Labelled): Promise<string | undefined> {
    const now = this.#services.clock.now().getTime();
    const known = this.#known.get(repository.id);
    if (known !== undefined && now - known.at < maxAgeMs) return known.text;
    const { octokit, ...where } = repository;
    const text = fileOnDefaultBranch(octokit, where, this.#services.configPath).then(bounded);
    this.#known.set(repository.id, { at: now, text });
    text.catch(() => {
      if (this.#known.peek(repository.id)?.text === text) this.#known.delete(repository.id);
    });
    return text;
  }
}

/** A copy, because a part of a text keeps all of it in memory; what is cut cannot be used either. */
function bounded(text: string | undefined): string | undefined {
  return text === undefined || text.length <= maxLength
    ? text
    : Buffer.from(text.slice(0, maxLength + 1)).toString();
}
