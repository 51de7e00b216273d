import { baseOf, commitMessage, conflictWith, skipsCi } from '../../agent/index.ts';
import { type BegunMerge, beginMerge } from '../../git/begun-merge.ts';
import { emptyCommit } from '../../git/claim-branch.ts';
import { isAncestor, mergeBase, mergeCommit } from '../../git/merges.ts';
import type { Mirror } from '../../git/mirror.ts';
import type { CodeMove, CodeRefusal } from '../../ledger/attachments.ts';
import { updateDue } from '../../steering/branch/undo-and-update.ts';
import { shortSha } from '../../steering/phrases/phrases.ts';
import type { Undo } from '../../steering/shapes/standing.ts';
import type { Event } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import { redactAll } from '../../text/redact.ts';
import { failed, type LeasedWork, report, reportCode, stamp } from './leased-work.ts';

/**
 * Goes back to what an iteration came to: a new commit on top of the head has its files, so that no history
 * is rewritten. It is pushed together with its record.
 */
export async function undoTo(job: LeasedWork, { to, head: wanted }: Undo): Promise<State | undefined> {
  const { resources, state, options, hold } = job;
  const { head, run } = state;
  const { mirror } = resources;
  const at = options.services.clock.now().toISOString();
  const problem = await problemWith(mirror, wanted, head);
  const filesOf = problem === undefined ? await withBase(job, { wanted, at }) : undefined;
  if (filesOf === undefined) {
    const conflict = `${run.base} was merged since, and conflicts with what was there then`;
    const failure = { kind: 'not_found', message: problem ?? conflict } as const;
    const event = failed(job, { failure, kept: null, duration_s: 0 });
    return report(job, event, { otherwise: () => event });
  }
  const message = commitMessage(`Go back to iteration ${to}`, job);
  const made = await emptyCommit(mirror, { base: head, filesOf, message, at });
  const skips = skipsCi(state) ? { skips_ci: true as const } : {};
  const undone = { type: 'undone', ...stamp(options, 'undone'), hold, head_before: head, ...skips } as const;
  const code = { branch: run.branch, from: head, to: made };
  return landCommit(job, code, (landed) => ({ ...undone, head: landed }));
}

/**
 * A commit with the files of then and everything of the base that the branch has by now, which nobody wants
 * to take back; undefined if Git cannot merge the two.
 */
async function withBase(
  { state, resources: { mirror } }: LeasedWork,
  { wanted, at }: { readonly wanted: string; readonly at: string },
): Promise<string | undefined> {
  const { dir } = mirror;
  const known = await mergeBase(dir, state.head, await baseOf(state, mirror));
  if (known === undefined || (await isAncestor(dir, known, wanted))) return wanted;
  const merge = await mergeCommit(dir, { parents: [wanted, known], message: 'Files of then\n', at });
  return merge.kind === 'merged' ? merge.commit : undefined;
}

/** What people have removed from the branch, perhaps because of what is in it, does not come back by this. */
async function problemWith(mirror: Mirror, wanted: string, head: string): Promise<string | undefined> {
  const name = shortSha(wanted);
  if ((await mirror.resolve(wanted)) === undefined) return `its commit ${name} no longer exists`;
  if (await mirror.reading(() => isAncestor(mirror.dir, wanted, head))) return undefined;
  return `its commit ${name} is no longer part of the branch, which was force-pushed`;
}

/** What came of merging the base: a record, or a merge for the agent to end. */
type BaseMerge = { readonly recorded: State | undefined } | { readonly begun: BegunMerge };

/**
 * Merges the base into the branch, because what its task depends on is there by now, or because people want
 * it up to date: a commit whose first parent is the head, pushed together with its record. Conflicts are for
 * people, or for the agent if it is to resolve those with a commit of the base.
 */
export async function mergeBaseIn(job: LeasedWork): Promise<BaseMerge> {
  const { resources, state, options, hold } = job;
  const { head, run } = state;
  const { mirror } = resources;
  const newest = await baseOf(state, mirror);
  const update = updateDue(state);
  // What an agent has begun to merge it goes on with, unless that is of another base.
  const known = update?.base === run.base ? update.resolves : undefined;
  const isKnown = known !== undefined && (await mirror.reading(() => isAncestor(mirror.dir, known, newest)));
  const base_sha = isKnown ? known : newest;
  const merged = {
    type: 'base_merged',
    ...{ ...stamp(options, 'base'), hold },
    ...{ head_before: head, base: run.base, base_sha },
  } as const;
  if (await isAncestor(mirror.dir, base_sha, head)) {
    const event: Event = { ...merged, head };
    return { recorded: await report(job, event, { otherwise: () => event }) };
  }
  const at = options.services.clock.now().toISOString();
  const message = commitMessage(`Merge ${run.base} into ${run.branch}`, job);
  const merge = await mergeCommit(mirror.dir, { parents: [head, base_sha], message, at });
  if (merge.kind === 'merged') {
    const skips = skipsCi(state) ? { skips_ci: true as const } : {};
    const code = { branch: run.branch, from: head, to: merge.commit };
    return { recorded: await landCommit(job, code, (landed) => ({ ...merged, ...skips, head: landed })) };
  }
  const begun = await beginMerge(mirror.dir, { head, tip: base_sha, at });
  if (isKnown && state.standing.phase === 'working') return { begun };
  const failure = redactAll(await conflictWith(state, mirror, begun), resources.secrets);
  const event = failed(job, { failure, kept: null, duration_s: 0 });
  return { recorded: await report(job, event, { otherwise: () => event }) };
}

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
  const started = { type: 'ci_started', ...stamp(options, 'ci'), hold, head_before: head } as const;
  const code = { branch: run.branch, from: head, to: made };
  return landCommit(job, code, (landed) => ({ ...started, head: landed }));
}

function landCommit(
  job: LeasedWork,
  code: CodeMove,
  event: (head: string) => Event,
): Promise<State | undefined> {
  return reportCode(job, code, event, { otherwise: (refusal) => refused(job, refusal) });
}

/** The event for a commit of ours that the repository does not take. */
function refused(job: LeasedWork, { kind, message }: CodeRefusal): Event {
  const failure = { kind: kind === 'moved' ? 'branch_moved' : 'push_refused', message } as const;
  return failed(job, { failure, kept: null, duration_s: 0 });
}
