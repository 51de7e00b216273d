import type { Log } from '../github/octokit/connect.ts';
import { readWorkflowRun } from '../github/read/workflow-run.ts';
import { messageOf } from '../runs/faults.ts';
import type { Repository } from '../runs/repository.ts';
import type { Job, Lease } from '../steering/lease.ts';

/**
 * Finds out whether the job that holds a lease is gone: its runner was lost, or somebody cancelled it. GitHub
 * knows; without the permission to ask it, such a lease has to expire.
 */
export class LostJobs {
  readonly #repository: Repository;
  readonly #own: Job;
  readonly #log: Log;
  #isTold = false;

  constructor(repository: Repository, own: Job, log: Log) {
    this.#repository = repository;
    this.#own = own;
    this.#log = log;
  }

  /** Never true while that job may still be working. */
  async isGone({ job }: Lease): Promise<boolean> {
    if (job === undefined) return false;
    // A workflow can be run again only after it has ended.
    if (job.run_id === this.#own.run_id) return job.run_attempt < this.#own.run_attempt;
    const found = await this.#read(job);
    return found !== undefined && (found.completed || found.run_attempt > job.run_attempt);
  }

  async #read({ run_id }: Job) {
    try {
      const found = await readWorkflowRun(this.#repository.octokit, this.#repository, run_id);
      if (found === undefined) this.#tellOnce();
      return found;
    } catch (fault) {
      this.#log.warn(`could not look at the workflow run ${run_id}, so its lease stays: ${messageOf(fault)}`);
      return undefined;
    }
  }

  #tellOnce(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#log.warn(
      'GitHub does not say whether the job that works on a run has ended, so its lease has to expire: ' +
        'grant `actions: read` under `permissions:` in the file of the workflow',
    );
  }
}
