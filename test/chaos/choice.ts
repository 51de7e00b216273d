import { randomInt } from 'node:crypto';
import { type Disturbance, disturbanceNamed, type Fault, faults, type Moment, nameOf } from './fault.ts';

/** Which disturbances are tried, in which order, and for how long. */
export interface Choice {
  /** Only stories whose name contains it. */
  readonly story: string;
  /** Only these disturbances, by their names; all if empty. */
  readonly only: readonly Disturbance[];
  /** Otherwise only those whose names match. */
  readonly fault: RegExp;
  /** Only with one App or only with two; both if undefined. */
  readonly apps: 1 | 2 | undefined;
  /** Shard 2 of 8 tries the second of each eight. */
  readonly shard: { readonly index: number; readonly of: number };
  /** Decides the order, so that over many short runs everything is tried. */
  readonly seed: number;
  /** No session with the App is started that might end later than this; the Action has its share afterwards. */
  readonly minutes: number;
}

/** The time for the Action, compared with that for the App, which has more stories. */
export const actionShare = 0.25;

/** Read from the variables that CONTRIBUTING.md explains; `COXSWAIN_CHAOS_APPS` is 1 or 2. */
export function readChoice(variables: Readonly<Record<string, string | undefined>>): Choice {
  const text = (name: string) => variables[name] ?? '';
  const number = (name: string, usual: number) => {
    if (text(name) === '') return usual;
    if (/^\d{1,9}$/.test(text(name))) return Number(text(name));
    throw new Error(`${name} is "${text(name)}": expected a whole number, such as ${usual}`);
  };
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text('COXSWAIN_CHAOS_SHARD') || '1/1') ?? [];
  if (!(Number(index) >= 1 && Number(index) <= Number(of)))
    throw new Error(
      `COXSWAIN_CHAOS_SHARD is "${text('COXSWAIN_CHAOS_SHARD')}": expected a shard and their number, such as 2/8`,
    );
  return {
    story: text('COXSWAIN_CHAOS_STORY'),
    only: text('COXSWAIN_CHAOS_ONLY').split('; ').filter(Boolean).map(disturbanceNamed),
    fault: new RegExp(text('COXSWAIN_CHAOS_FAULT')),
    apps: text('COXSWAIN_CHAOS_APPS') === '' ? undefined : text('COXSWAIN_CHAOS_APPS') === '1' ? 1 : 2,
    shard: { index: Number(index), of: Number(of) },
    seed: number('COXSWAIN_CHAOS_SEED', randomInt(1_000_000)),
    minutes: number('COXSWAIN_CHAOS_MINUTES', 24 * 60),
  };
}

/** Those that were asked for by their names, or else those of all that match. */
export function chosenFrom(
  all: readonly Disturbance[],
  { only, fault }: Pick<Choice, 'only' | 'fault'>,
): readonly Disturbance[] {
  return only.length > 0 ? only : all.filter((disturbance) => fault.test(nameOf(disturbance)));
}

/** Every fault at every request, and pairs: a kill or fault while the App recovers from a kill. */
export function disturbancesOf(routes: readonly string[]): readonly Disturbance[] {
  const all = Object.keys(faults) as readonly Fault[]; // the keys are the faults
  const moments = momentsOf(routes);
  const singles = moments.flatMap((moment) =>
    all.filter((fault) => applies(fault, moment)).map((fault): Disturbance => [{ ...moment, fault }]),
  );
  const pairs = moments.filter(isWrite).flatMap((moment) =>
    secondSteps.map(
      (second): Disturbance => [
        { ...moment, fault: 'kill after' },
        { route: 'any', ...second },
      ],
    ),
  );
  return [...singles, ...pairs];
}

/** The App's tokens end while it has repeated a request, or just after: a job's cannot be renewed. */
export function revocationsOf(routes: readonly string[]): readonly Disturbance[] {
  return momentsOf(routes)
    .filter(isWrite)
    .flatMap((moment) =>
      [1, 2, 4].map(
        (nth): Disturbance => [
          { ...moment, fault: '502 after' },
          { route: 'any', nth, fault: 'revoked' },
        ],
      ),
    );
}

/** What happens to the machine of the App, which has no jobs of the Action. */
export function upheavalsOf(routes: readonly string[]): readonly Disturbance[] {
  return momentsOf(routes)
    .filter(isWrite)
    .flatMap((moment) => ofMachine.map((fault): Disturbance => [{ ...moment, fault }]));
}

const ofMachine = ['kill torn', 'frozen', 'clock ahead', 'clock behind'] as const satisfies readonly Fault[];

const secondSteps = [
  { nth: 3, fault: 'kill before' },
  { nth: 8, fault: 'kill after' },
  { nth: 5, fault: '500' },
  { nth: 10, fault: '502 after' },
  { nth: 14, fault: 'drop after' },
] as const;

function momentsOf(routes: readonly string[]): readonly Moment[] {
  const counts = new Map<string, number>();
  return routes.map((route) => {
    const nth = (counts.get(route) ?? 0) + 1;
    counts.set(route, nth);
    return { route, nth };
  });
}

function isWrite({ route }: Moment): boolean {
  return !route.startsWith('GET') && !route.endsWith('git-upload-pack');
}

/** With two Apps: undisturbed, and with what leaves one in doubt about what the other did, or lets it overtake. */
export function disturbancesOfTwo(routes: readonly string[]): readonly Disturbance[] {
  const inDoubt = momentsOf(routes)
    .filter(isWrite)
    .flatMap((moment) =>
      (['kill before', 'kill after', 'drop after', 'slow', 'frozen'] as const).map((fault) => [
        { ...moment, fault },
      ]),
    );
  return [[], ...inDoubt];
}

const mergeRoute = 'PUT pulls/{n}/merge';

/** A read changes nothing, so that a loss after it is the same as one before it. */
function applies(fault: Fault, moment: Moment): boolean {
  if (fault === 'revoked' || faults[fault].machine !== undefined) return false;
  // This is how GitHub refuses a merge, and nothing else.
  if (fault === '405') return moment.route === mergeRoute;
  // Of somebody's role this is no refusal but an answer: they have none, and nobody waits for a stranger.
  if (fault === '404' && moment.route === 'GET collaborators') return false;
  // To Git, GitHub only says that it is forbidden, whatever the reason.
  if (fault === 'limit' && moment.route.includes('git-receive-pack')) return false;
  // Git waits for the rest of half an answer until the App ends it, which is the same as a loss after it.
  if (fault === 'cut after' && moment.route.includes('git-')) return false;
  if (isWrite(moment)) return true;
  // There are many of these, and Git has only two answers: none, and a refusal.
  if (isGitRead(moment)) return fault === 'kill before' || fault === 'drop before' || fault === '403';
  if (fault === 'cut after') return true;
  return !fault.endsWith(' after') && fault !== '409' && fault !== '422';
}

function isGitRead({ route }: Moment): boolean {
  return route.includes('info/refs') || route.endsWith('git-upload-pack');
}

/** All elements in an order that the seed decides (Fisher and Yates). */
export function shuffled<T>(all: readonly T[], seed: number): readonly T[] {
  const result = [...all];
  let state = seed + 1;
  for (let last = result.length - 1; last > 0; last--) {
    // A linear congruential generator, as in Numerical Recipes.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = state % (last + 1);
    // Both indexes are within the array.
    [result[last], result[other]] = [result[other] as T, result[last] as T];
  }
  return result;
}
