import { emptyCommit } from '../../git/claim-branch.ts';
import type { Event } from '../../steering/event.ts';
import type { State } from '../../steering/state.ts';
import { failed, type LeasedWork, report, stamp } from './leased-work.ts';

/**
 * Lets the CI of the repository run: our commits told GitHub to skip it, so a new head without that trailer
 * is pushed, an empty commit on top of what people have looked at.
 */
export async function startCi(job: LeasedWork): Promise<State | undefined> {
  const { resources, state, options, hold } = job;
  const { head, iteration, run } = state;
  const at = options.services.clock.now().toISOString();
  const message = `Let CI run\n\nCoxswain-Run: ${run.id}\nCoxswain-Iteration: ${iteration}\n`;
  const made = await emptyCommit(resources.mirror, { base: head, message, at });
  const event: Event = { type: 'ci_started', ...stamp(options, 'ci'), hold, head_before: head, head: made };
  const otherwise = ({ kind, message: said }: { kind: 'moved' | 'declined'; message: string }) => {
    const failure = { kind: kind === 'moved' ? 'branch_moved' : 'push_refused', message: said } as const;
    return failed(job, { failure, kept: null, duration_s: 0 });
  };
  return report(job, event, { code: { branch: run.branch, from: head, to: made }, otherwise });
}
