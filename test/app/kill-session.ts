import { type AppFixture, prepareAppFixture, waitForFirstSweep } from './app-fixture.ts';
import { type FinalState, readFinalState } from './final-state.ts';
import { isPush, type KillHook, type KillPoint, type Kind, killAt } from './kill-hook.ts';
import type { PullClient } from './pull-client.ts';

/** One session: label, green, steer, green, approve, ready for review. */
export async function runSession({ ada }: AppFixture): Promise<PullClient> {
  const pull = await ada.starts('Make it fine');
  await pull.waitForPhase('awaiting_approval', { iteration: 0 });
  await ada.says(pull, '/steer make it better');
  const { head_sha } = await pull.waitForPhase('awaiting_approval', { iteration: 1 });
  await ada.says(pull, `/approve ${head_sha}`);
  await pull.waitForPhase('approved');
  await pull.waitForDraft(false);
  return pull;
}

export interface SessionResult {
  readonly finalState: FinalState;
  readonly counts: Readonly<Record<Kind, number>>;
  readonly hook: KillHook | undefined;
}

/** Runs a session in which the App is killed at the point and restarted; finally stops it with SIGTERM. */
export async function runSessionWithKill(point: KillPoint | undefined): Promise<SessionResult> {
  const restart = { done: Promise.resolve() };
  const hook =
    point &&
    killAt(point, () => {
      restart.done = restartApp(fixture);
    });
  const fixture = await prepareAppFixture({ unchecked: true, onRequest: hook?.onRequest });
  try {
    await fixture.start().catch((fault: unknown) => {
      if (!hook?.fired) throw fault;
    });
    await restart.done;
    const pull = await runSession(fixture);
    for (const _ of ['normally', 'after a kill during shutdown']) {
      await restart.done;
      await waitForFirstSweep(fixture);
      await fixture.app.stop();
    }
    return { finalState: await readFinalState(fixture.ada, pull), counts: countsOf(fixture), hook };
  } catch (cause) {
    const log = fixture.processes.map((app) => app.output()).join('--- restarted ---\n');
    throw new Error(`${messageOf(cause)} (killed at ${hook?.at})\n${log}`, { cause });
  } finally {
    await fixture.end();
  }
}

async function restartApp(fixture: AppFixture): Promise<void> {
  const last = fixture.processes.at(-1);
  last?.kill();
  await last?.ended;
  await fixture.start();
}

function countsOf(fixture: AppFixture): SessionResult['counts'] {
  const requests = fixture.requests();
  const pushes = fixture.forge.requests.git.filter(({ path }) => isPush(path));
  const write = requests.filter(({ method }) => method !== 'GET').length;
  return { call: requests.length, write, push: pushes.length };
}

export function killPointsOf({ counts }: SessionResult): readonly KillPoint[] {
  const each = (at: Kind, when: KillPoint['when']) =>
    Array.from({ length: counts[at] }, (_, index): KillPoint => ({ at, nth: index + 1, when }));
  return [
    ...each('push', 'before'),
    ...each('push', 'after'),
    ...each('write', 'after'),
    ...each('call', 'before'),
  ];
}

export interface KillResult {
  readonly point: KillPoint;
  /** Sessions differ by a request or two, so the last kill points may lie after the end of another one. */
  readonly reached: boolean;
  /** How the final state differs from that of the session without a kill. */
  readonly differences: readonly string[];
}

export async function tryKillAt(point: KillPoint, expected: FinalState): Promise<KillResult> {
  try {
    const { finalState, hook } = await runSessionWithKill(point);
    const found = differencesOf(expected, finalState);
    const differences = found.length === 0 ? [] : [nameOf(point), `at ${hook?.at}`, ...found];
    return { point, reached: hook?.fired === true, differences };
  } catch (fault) {
    return { point, reached: true, differences: [nameOf(point), messageOf(fault)] };
  }
}

function differencesOf(expected: FinalState, actual: FinalState): readonly string[] {
  const found = new Map(Object.entries(actual).map(([part, value]) => [part, JSON.stringify(value)]));
  return Object.entries(expected)
    .map(([part, value]) => [part, JSON.stringify(value)] as const)
    .filter(([part, value]) => found.get(part) !== value)
    .map(([part, value]) => `  ${part}: ${found.get(part)}\n  instead of ${value}`);
}

export function nameOf({ at, nth, when }: KillPoint): string {
  return `killed ${when} ${at} ${nth}`;
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
