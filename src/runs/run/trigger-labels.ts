import { triggerIn } from '../../config/read.ts';
import { fileOnDefaultBranch } from '../../github/read/repository-ref.ts';
import { RecentMap } from '../../repository/recent-map.ts';
import type { Repository } from '../../repository/repository.ts';
import type { Services } from './services.ts';

/** How long a label is remembered, in milliseconds: a change in the configuration takes effect that late. */
const maxAgeMs = 60_000;

/** What is needed of a repository to read its configuration. */
export type Labelled = Pick<Repository, 'id' | 'owner' | 'name' | 'octokit'>;

/**
 * The labels that start runs, by repository. Every label on any issue asks for one, so that they are read
 * from GitHub's API, without a copy of the repository, and remembered.
 */
export class TriggerLabels {
  readonly #services: Pick<Services, 'configPath' | 'clock'>;
  readonly #known = new RecentMap<number, { readonly at: number; readonly label: Promise<string> }>({
    max: 10_000,
  });

  constructor(services: Pick<Services, 'configPath' | 'clock'>) {
    this.#services = services;
  }

  /** Rejects if GitHub cannot be asked; the next call asks again. */
  of(repository: Labelled): Promise<string> {
    const now = this.#services.clock.now().getTime();
    const known = this.#known.get(repository.id);
    if (known !== undefined && now - known.at < maxAgeMs) return known.label;
    const label = this.#read(repository);
    this.#known.set(repository.id, { at: now, label });
    label.catch(() => {
      if (this.#known.peek(repository.id)?.label === label) this.#known.delete(repository.id);
    });
    return label;
  }

  async #read({ octokit, ...where }: Labelled): Promise<string> {
    const text = await fileOnDefaultBranch(octokit, where, this.#services.configPath);
    return triggerIn(text ?? '');
  }
}
