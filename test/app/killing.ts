import { type Ending, endingOf } from './ending.ts';
import type { PullStory } from './pull-story.ts';
import { type Stage, setEmptyStage, swept } from './stage.ts';
import { isPush, type Kind, type Moment, stretch, type Tripwire } from './tripwire.ts';

/** One session: label, green, steer, green, approve, ready. */
export async function play({ ada }: Stage): Promise<PullStory> {
  const pull = await ada.starts('Make it fine');
  await pull.reaches('awaiting_approval', { iteration: 0 });
  await ada.says(pull, '/steer make it better');
  const { head_sha } = await pull.reaches('awaiting_approval', { iteration: 1 });
  await ada.says(pull, `/approve ${head_sha}`);
  await pull.reaches('approved');
  await pull.isDraft(false);
  return pull;
}

export interface Played {
  readonly ending: Ending;
  readonly counts: Readonly<Record<Kind, number>>;
  readonly wire: Tripwire | undefined;
}

/**
 * Plays it with the App killed at the moment and started again; in the end it is stopped as by an operator.
 */
export async function playWith(moment: Moment | undefined): Promise<Played> {
  const life = { again: Promise.resolve() };
  const wire =
    moment &&
    stretch(moment, () => {
      life.again = startAgain(stage);
    });
  const stage = await setEmptyStage({ unchecked: true, onRequest: wire?.onRequest });
  try {
    await stage.start().catch((fault: unknown) => {
      if (!wire?.fired) throw fault;
    });
    await life.again;
    const pull = await play(stage);
    for (const _ of ['once', 'killed while it stopped']) {
      await life.again;
      await swept(stage);
      await stage.app.stop();
    }
    return { ending: await endingOf(stage.ada, pull), counts: countsOf(stage), wire };
  } catch (cause) {
    const log = stage.processes.map((app) => app.output()).join('--- started again ---\n');
    throw new Error(`${messageOf(cause)} (killed at ${wire?.at})\n${log}`, { cause });
  } finally {
    await stage.end();
  }
}

async function startAgain(stage: Stage): Promise<void> {
  const dead = stage.processes.at(-1);
  dead?.kill();
  await dead?.ended;
  await stage.start();
}

function countsOf(stage: Stage): Played['counts'] {
  const requests = stage.requests();
  const pushes = stage.forge.requests.git.filter(({ path }) => isPush(path));
  const write = requests.filter(({ method }) => method !== 'GET').length;
  return { call: requests.length, write, push: pushes.length };
}

export function momentsOf({ counts }: Played): readonly Moment[] {
  const each = (at: Kind, when: Moment['when']) =>
    Array.from({ length: counts[at] }, (_, index): Moment => ({ at, nth: index + 1, when }));
  return [
    ...each('push', 'before'),
    ...each('push', 'after'),
    ...each('write', 'after'),
    ...each('call', 'before'),
  ];
}

export interface Trial {
  readonly moment: Moment;
  /** Sessions differ by a call or two; the last moments of one may be none of another. */
  readonly reached: boolean;
  /** What is not as it was in the undisturbed session. */
  readonly differences: readonly string[];
}

export async function tryAt(moment: Moment, expected: Ending): Promise<Trial> {
  try {
    const { ending, wire } = await playWith(moment);
    const found = differencesOf(expected, ending);
    const differences = found.length === 0 ? [] : [nameOf(moment), `at ${wire?.at}`, ...found];
    return { moment, reached: wire?.fired === true, differences };
  } catch (fault) {
    return { moment, reached: true, differences: [nameOf(moment), messageOf(fault)] };
  }
}

function differencesOf(expected: Ending, ending: Ending): readonly string[] {
  const found = new Map(Object.entries(ending).map(([part, value]) => [part, JSON.stringify(value)]));
  return Object.entries(expected)
    .map(([part, value]) => [part, JSON.stringify(value)] as const)
    .filter(([part, value]) => found.get(part) !== value)
    .map(([part, value]) => `  ${part}: ${found.get(part)}\n  instead of ${value}`);
}

export function nameOf({ at, nth, when }: Moment): string {
  return `killed ${when} ${at} ${nth}`;
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
