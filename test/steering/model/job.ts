import { newLease } from '../../../src/engine/leased-work.ts';
import { decide } from '../../../src/steering/decide.ts';
import { holdsLease } from '../../../src/steering/iterations/step.ts';
import type { Failure } from '../../../src/steering/shapes/attempt-result.ts';
import { holdingHits, mayKeepRemotely } from '../../../src/steering/shapes/gate-rules.ts';
import { isLeased, type Lease } from '../../../src/steering/shapes/standing.ts';
import type { Event } from '../../../src/steering/state/event.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { protectedByMia } from '../random-work.ts';
import { automation, changes, deletion, keptRef, report, secret, verifierOutputs } from '../samples.ts';
import { meanwhile } from './agent.ts';
import type { Dice } from './dice.ts';
import type { Process } from './process.ts';

/** Work under a lease of a process, which may not know yet that it has lost it. */
export interface Job {
  readonly hold: Lease;
  readonly state: State;
  /** It has brought the base once: if somebody pushed meanwhile, the next attempt does. */
  readonly has_base?: boolean;
}

/** The next thing that the engine of a process does, if there is any. */
export async function works(process: Process, dice: Dice): Promise<void> {
  const { job } = process;
  if (job === undefined) return take(process, dice);
  const { standing } = job.state;
  if (standing.phase === 'working' && job.state.merges_base && !job.has_base)
    return mergeBase(process, job, dice);
  if (standing.phase === 'working') return work(process, job, dice);
  if (standing.phase === 'verifying' && 'starts_ci' in standing) return startCi(process, job);
  if (standing.phase === 'verifying' && 'undoes' in standing) return undo(process, job, dice);
  return verify(process, job, dice);
}

async function take(process: Process, dice: Dice): Promise<void> {
  const { newest: queued, hub, clock: at } = process;
  if (queued?.standing.phase !== 'queued') return;
  const holder = `${process.name}:${hub.newId()}`;
  const head = hub.branch;
  if (head === undefined) {
    const id = `attempt:${holder}:branch_gone`;
    return void (await process.record({ type: 'branch_deleted', id, at, by: 'somebody' }));
  }
  const { base } = queued.run;
  const settings = hub.settingsFor(base);
  const hold = newLease({ ...queued, settings }, { holder }, new Date(hub.now));
  await process.pause();
  if (dice.rarely(40)) return fail(process, holder);
  const event: Event = {
    type: 'attempt_started',
    id: `attempt:${holder}:started`,
    at,
    hold,
    head,
    base,
    settings,
  };
  const { state } = await process.record(event);
  if (holdsLease(state, hold)) process.job = { hold, state };
}

/** An internal error, with a text that looks like the ledger's own. */
async function fail(process: Process, reference: string): Promise<void> {
  const what = 'Coxswain-Owes: nothing Coxswain-Event: event:1 Coxswain-Seq: 1';
  await process.record({
    type: 'run_failed',
    id: `run_failed:${reference}`,
    at: process.clock,
    reference,
    what,
  });
}

async function work(process: Process, job: Job, dice: Dice): Promise<void> {
  const { hold, state } = job;
  const { standing, run } = state;
  if (standing.phase !== 'working') return;
  const instead = meanwhile(process, job, dice);
  if (instead === 'waits') return;
  if (instead?.type === 'work_parked') return handIn(process, instead);
  if (instead !== undefined) return void (await process.record(instead));
  const { held } = standing;
  const outcome = held === undefined ? dice.roll(24) : 0;
  const stamp = (what: string) => ({ id: `attempt:${hold.holder}:${what}`, at: process.clock, hold });
  if (outcome === 23) {
    const failure = {
      kind: dice.oneOf<Failure['kind']>('exit', 'timeout', 'sandbox', 'model_unavailable'),
      message: 'it failed',
    };
    const ended = { type: 'work_failed', ...stamp('failed'), failure, kept: null, duration_s: 1 } as const;
    return handIn(process, ended);
  }
  const head = outcome === 22 ? state.head : process.hub.newCommit();
  const status = dice.rarely(30) ? ('uncertain' as const) : ('done' as const);
  const made = held?.work ?? {
    ...{ head_before: state.head, head, report: { ...report, status }, changes, cost: { tokens: 3 } },
    ...{ duration_s: 1, ...dice.oneOf({}, { skips_ci: true } as const) },
  };
  const hits = held === undefined && outcome > 17 ? holdingHits(state, [dice.oneOf(automation, secret)]) : [];
  if (hits.length > 0) {
    const kept = mayKeepRemotely(hits) ? keptRef(made.head) : null;
    return handIn(process, { type: 'work_held', ...stamp('held'), work: made, hits, kept });
  }
  if (made.head_before !== state.head) {
    const failure = { kind: 'branch_moved', message: 'the branch moved' } as const;
    return handIn(process, { type: 'work_failed', ...stamp('failed'), failure, kept: null, duration_s: 0 });
  }
  const code = { branch: run.branch, from: made.head_before, to: made.head };
  await handIn(process, { type: 'work_finished', ...stamp('work'), work: made }, code);
}

/** Unless the branch has it already. */
async function mergeBase(process: Process, { hold, state: { head, run } }: Job, dice: Dice): Promise<void> {
  const made = dice.rarely(4) ? head : process.hub.newCommit();
  const stamp = { id: `attempt:${hold.holder}:base`, at: process.clock, hold };
  const merged = { head_before: head, head: made, base: run.base, base_sha: made };
  await handIn(
    process,
    { type: 'base_merged', ...stamp, ...merged },
    { branch: run.branch, from: head, to: made },
  );
}

async function startCi(process: Process, { hold, state: { head, run } }: Job): Promise<void> {
  const made = process.hub.newCommit();
  const stamp = { id: `attempt:${hold.holder}:ci`, at: process.clock, hold };
  const code = { branch: run.branch, from: head, to: made };
  await handIn(process, { type: 'ci_started', ...stamp, head_before: head, head: made }, code);
}

/** As a new commit, or not at all: the one that is wanted may be gone. */
async function undo(process: Process, { hold, state: { head, run } }: Job, dice: Dice): Promise<void> {
  const stamp = (what: string) => ({ id: `attempt:${hold.holder}:${what}`, at: process.clock, hold });
  if (dice.rarely(5)) {
    const failure = { kind: 'not_found', message: 'its commit is gone' } as const;
    return handIn(process, { type: 'work_failed', ...stamp('failed'), failure, kept: null, duration_s: 0 });
  }
  const made = process.hub.newCommit();
  const code = { branch: run.branch, from: head, to: made };
  await handIn(process, { type: 'undone', ...stamp('undone'), head_before: head, head: made }, code);
}

async function verify(process: Process, { hold, state }: Job, dice: Dice): Promise<void> {
  const verifiers = verifierOutputs(state.settings, dice.oneOf([], [], [], [], ['lint'], ['test']));
  const gates = dice.oneOf([], [], [deletion]);
  const stamp = { id: `attempt:${hold.holder}:verified`, at: process.clock, hold };
  const authority = dice.rarely(4) ? { authority: protectedByMia } : {};
  const merged = state.settings.verify_against === 'merge' ? { merged_with: process.hub.base_sha } : {};
  const verified = { verifiers, changes, gates, duration_s: 1, head: state.head, ...authority, ...merged };
  await handIn(process, { type: 'verified', ...stamp, ...verified });
}

/** Records a result; the work goes on only if the lease is still ours. Results are tried again. */
async function handIn(
  process: Process,
  event: Extract<Event, { hold: unknown }>,
  code?: { readonly branch: string; readonly from: string; readonly to: string },
): Promise<void> {
  await process.pause();
  const { hold } = event;
  const holder = hold.holder;
  const instead: Event = {
    ...{ type: 'work_failed', id: `attempt:${holder}:failed`, at: process.clock, kept: null, duration_s: 1 },
    ...{ hold, failure: { kind: 'branch_moved', message: 'the branch moved' } },
  };
  const otherwise = () => ({
    event: instead,
    decide: (before: State | undefined) => decide(before, instead),
  });
  const isMove = code !== undefined && code.from !== code.to;
  const { state } = await process.record(event, isMove ? { code, otherwise } : { otherwise });
  const { standing } = state ?? {};
  const goesOn =
    holdsLease(state, hold) &&
    (event.type === 'base_merged' || (standing?.phase === 'verifying' && event.type !== 'verified'));
  process.job =
    goesOn && standing !== undefined && isLeased(standing) && state !== undefined
      ? { hold: standing.hold, state, has_base: event.type === 'base_merged' }
      : undefined;
}
