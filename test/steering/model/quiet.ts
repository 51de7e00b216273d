import { parseCommand } from '../../../src/github/markdown/command-parser.ts';
import { viewOf } from '../../../src/github/show/view.ts';
import { awaitedChecks } from '../../../src/steering/approval/ci-results.ts';
import { isFinished, reasonsAgainst } from '../../../src/steering/approval/finish-reasons.ts';
import { areReady } from '../../../src/steering/branch/task-dependencies.ts';
import { isInProgress, isOver } from '../../../src/steering/phases/table.ts';
import { isAskingHuman } from '../../../src/steering/shapes/standing.ts';
import { mayStayPending } from '../../../src/steering/state/pending-effect.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { ada, mia } from '../samples.ts';
import { finishFacts } from './check-finish.ts';
import { onOf } from './depending.ts';
import { Dice } from './dice.ts';
import { works } from './job.ts';
import { endCheck } from './people.ts';
import type { World } from './world.ts';

const rounds = 30;

/** Nobody does anything, all news arrives, nothing fails, and every process sweeps, works and acts. */
export async function settle(world: World): Promise<void> {
  const { hub, log } = world;
  let calm = 0;
  for (let round = 0; calm < 3; round++) {
    if (round === rounds) throw new Error(`it does not come to rest: ${JSON.stringify(log.state?.standing)}`);
    const before = log.state?.seq;
    hub.now += 61_000;
    passChecks(hub, log.state);
    for (const process of world.processes) {
      const sure = new Dice([0]);
      while (hub.news.size > 0) await world.hears(process, sure);
      await process.sweep(0, world.isGone);
      await process.acts();
      await works(process, sure);
      await process.acts();
      process.ledger.flush();
    }
    calm = log.state?.seq === before ? calm + 1 : 0;
  }
}

/** What the run still waits for of its CI ends well. */
function passChecks(hub: Hub, state: State | undefined): void {
  if (state === undefined) return;
  for (const { spec } of awaitedChecks(state)) endCheck(hub, spec, 'success');
}

/** What is true when everything is quiet. */
export async function checkQuiet({ hub, log }: World): Promise<void> {
  const { state } = log;
  if (state === undefined) throw new Error('there is no ledger');
  const wrong = [
    ...waiting(state, hub),
    ...unlike(state, hub),
    ...(await uncovered(state, hub, log.seen)),
    ...unheard(state, hub, log.seen),
  ];
  if (wrong.length > 0)
    throw new Error(`when all is quiet while ${state.standing.phase}: ${wrong.join('; ')}`);
}

type Hub = World['hub'];

/** No run waits for ever, and nothing is owed for ever. */
function waiting({ standing, owed }: State, hub: Hub): readonly string[] {
  const left = owed.filter((effect) => !mayStayPending(effect)).map(({ id }) => id);
  return [
    ...(isInProgress(standing.phase) ? ['nobody works on it'] : []),
    ...(standing.phase === 'blocked' &&
    areReady(
      onOf(
        hub,
        standing.on.map(({ number }) => number),
      ),
    )
      ? ['everything is merged that it waits for']
      : []),
    ...(isAskingHuman(standing) && Date.parse(standing.deadline) < hub.now
      ? ['its deadline has passed']
      : []),
    ...(left.length > 0 ? [`${left.join(', ')} is owed`] : []),
  ];
}

/** GitHub shows what the ledger says, and the ledger says what GitHub has. */
function unlike(state: State, { pull, branch, checks }: Hub): readonly string[] {
  const { standing, shown, head, run, settings } = state;
  if (isOver(standing.phase)) return pull.open ? ['the pull request is open'] : [];
  if (!pull.open) return ['the pull request is closed'];
  const decision = checks.findLast(({ head_sha, name }) => head_sha === pull.head && name === settings.check);
  const wanted = viewOf(state, '').checks[0]?.result;
  const drawn = decision?.conclusion ?? decision?.status;
  const green = checks.filter(({ conclusion, actions: _, ...check }) => {
    const isNewest = checks.findLast(
      ({ head_sha, name }) => head_sha === check.head_sha && name === check.name,
    );
    return (
      conclusion === 'success' && isNewest?.id === check.id && !check.external_id.startsWith('verifier:')
    );
  });
  const left = green.filter(({ head_sha, name }) => head_sha !== head || name !== settings.check);
  return [
    ...(shown !== null && branch !== undefined && shown.head_sha !== branch ? ['another head is shown'] : []),
    ...(branch !== undefined && head !== branch ? [`the head is ${head}, but the branch ${branch}`] : []),
    ...(run.base === pull.base ? [] : ['another base is recorded']),
    ...(branch !== undefined && wanted !== drawn ? [`its check says ${drawn}, not ${wanted}`] : []),
    ...(left.length > 0 ? ['a former head is still green'] : []),
    ...(pull.draft === isFinished(state) && standing.phase !== 'paused'
      ? ['it has the wrong draft state']
      : []),
  ];
}

/** A run is approved only by people who may, in words that are still theirs, for what is there now. */
async function uncovered(state: State, hub: Hub, seen: ReadonlySet<string>): Promise<readonly string[]> {
  if (state.standing.phase !== 'approved') return [];
  return reasonsAgainst(state, await finishFacts(hub, state, seen));
}

/** Nothing that people with the right to it said is lost. */
function unheard(state: State, { facts }: Hub, seen: ReadonlySet<string>): readonly string[] {
  if (isOver(state.standing.phase)) return [];
  const sure = [ada.id, mia.id];
  const comments = facts.comments.filter(
    ({ by, body, edits }) => sure.includes(by.id) && edits.length === 0 && parseCommand(body) !== undefined,
  );
  const reviews = facts.reviews.filter(
    ({ by, state }) => sure.includes(by.id) && (state === 'APPROVED' || state === 'CHANGES_REQUESTED'),
  );
  return [
    ...comments.filter(({ id, created_at }) => !seen.has(`comment:${id}@${created_at}`)),
    ...reviews.filter(({ id }) => !seen.has(`review:${id}`)),
  ].map(({ id, body }) => `nobody heard "${body}" (${id})`);
}
