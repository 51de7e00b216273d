import type { HookResult, RequestHook } from '@coxswain/forge';
import { problemsIn, readLedger } from '../app/ledger-content.ts';
import { at, type RunsFixture, type SavedForge, startRunsFixture } from '../runs/runs-fixture.ts';
import { disturb, isByBot, tokenOf } from './disturber.ts';
import type { Disturbance } from './fault.ts';

/** A step of a story that is played without a server, from a saved forge, and what is to come of it. */
export interface Scene {
  readonly name: string;
  readonly from: string;
  act(fixture: RunsFixture): Promise<unknown>;
  /** The phases of the runs in the end, by their numbers. */
  readonly ends: Readonly<Record<number, string>>;
}

export interface PlayedScene {
  readonly end: Awaited<ReturnType<typeof readEnd>>;
  readonly routes: readonly string[];
  readonly disturbed: readonly string[];
  /** What the App logged as going wrong. */
  readonly warnings: readonly string[];
}

/** As many sweeps as an App makes in some minutes. */
const maxSweeps = 6;

/** Longer than the lease of what a process does that is gone. */
const leaseS = 4 * 3600;

/**
 * Plays a scene while the disturbance happens. Of a process that is killed nothing reaches anybody any more,
 * and another one sweeps, on another machine and much later.
 */
export async function playScene(
  scene: Scene,
  saved: SavedForge,
  disturbance: Disturbance = [],
): Promise<PlayedScene> {
  const mortal = mortalApp(disturbance);
  const fixture = await startRunsFixture(saved, undefined, mortal);
  const passTime = (seconds: number) => {
    fixture.wait(seconds);
    fixture.waitInApp(seconds);
  };
  try {
    fixture.wait(10);
    await mortal.lives(scene.act(fixture));
    const routes = [...mortal.routes];
    let end = await readEnd(fixture);
    for (let sweeps = 0; sweeps < maxSweeps; sweeps++) {
      const hasDied = mortal.isBuried();
      if (!hasDied && isSettled(end, scene)) break;
      if (hasDied) {
        fixture.succeeds();
        passTime(leaseS);
      }
      passTime(60);
      await mortal.lives(fixture.sweep());
      end = await readEnd(fixture);
    }
    return { end, routes, disturbed: mortal.disturbed, warnings: fixture.warnings };
  } finally {
    ending.push(fixture.end());
  }
}

/** What a process that reaches nobody still tries takes a while. */
const ending: Promise<void>[] = [];

export async function allEnded(): Promise<void> {
  await Promise.all(ending);
}

function isSettled({ runs }: PlayedScene['end'], { ends }: Scene): boolean {
  const settled = runs.filter(({ number, phase, owed }) => phase === ends[number] && owed.length === 0);
  return settled.length === Object.keys(ends).length && runs.length === settled.length;
}

/** Knows a process by its tokens. */
function mortalApp(disturbance: Disturbance) {
  const seen = new Set<string>();
  const dead = new Set<string>();
  let deaths = 0;
  let buried = 0;
  let die: () => void = () => undefined;
  const kill = () => {
    for (const token of seen) dead.add(token);
    deaths += 1;
    die();
  };
  const disturber = disturb(disturbance, { kill, isOurs: isByBot });
  const onRequest: RequestHook = async (request, next): Promise<HookResult> => {
    const token = tokenOf(request);
    if (dead.has(token)) return 'drop';
    if (isByBot(request)) seen.add(token);
    return disturber.onRequest(request, next);
  };
  return {
    ...{ onRequest, routes: disturber.routes, disturbed: disturber.disturbed },
    /** Until the work is done, whether or not it fails, or the process dies. */
    lives: (work: Promise<unknown>) =>
      Promise.race([
        work.catch(() => undefined),
        new Promise<void>((resolve) => {
          die = resolve;
        }),
      ]),
    /** Whether a process has died since this was asked last. */
    isBuried: () => {
      const died = deaths > buried;
      buried = deaths;
      return died;
    },
  };
}

/** Everything that people see, without what differs between two times. */
async function readEnd(fixture: RunsFixture) {
  const { data } = await fixture.ada.rest.issues.listForRepo({ ...at, state: 'all', per_page: 100 });
  const all = data.toSorted((one, other) => one.number - other.number);
  const { data: branches } = await fixture.ada.rest.repos.listBranches({ ...at, per_page: 100 });
  const runs = [];
  const comments: Record<number, readonly string[]> = {};
  for (const { number, pull_request } of all) {
    comments[number] = (await fixture.appComments(number)).map(plain).sort();
    const ledger = pull_request && (await readLedger(fixture.url, fixture.adasToken, number));
    if (!ledger) continue;
    const { standing, task, owed, replaced_by, replaces, merges_base } = ledger.state;
    runs.push({
      ...{ number, phase: standing.phase, on: 'on' in standing ? standing.on : [] },
      problems: problemsIn(ledger),
      owed: owed.flatMap((each) => (each.do === 'withdraw' ? [] : [each.do])),
      ...{ depends_on: task.depends_on, made: replaced_by?.made, replaces: replaces?.number, merges_base },
    });
  }
  return {
    places: all.map(({ number, title, state }) => `#${number} ${title}: ${state}`),
    branches: branches.map(({ name }) => name.replace(/-[0-9a-f]{10}$/, '')).sort(),
    ...{ runs, comments },
  };
}

function plain(text: string): string {
  const [first = ''] = text.split('\n');
  return first.replaceAll(/\b[0-9a-f]{7,64}\b/g, '<sha>').replaceAll(/127\.0\.0\.1:\d+/g, '<host>');
}
