/** What happens to one request of the App. */
export type Fault =
  | 'kill before'
  | 'kill after'
  | 'kill torn'
  | 'drop before'
  | 'drop after'
  | 'slow'
  | 'frozen'
  | 'clock ahead'
  | 'clock behind'
  | 'limit'
  | '401'
  | 'revoked'
  | '403'
  | '404'
  | '405'
  | '409'
  | '422'
  | '429'
  | '500'
  | '502 after'
  | 'cut after';

/** GitHub's side of it: `processed` says whether the request took effect. */
export interface FaultFacts {
  readonly kills: boolean;
  readonly processed: boolean;
  /** What it does to the process or the machine of the App, beside its answer; absent if nothing. */
  readonly machine?: Upheaval;
  /** The status of the response, or none if the connection breaks. */
  readonly status?: number;
  /** The tokens of the App end, also that of this request, which GitHub answers as it then does. */
  readonly revokes?: true;
  /** Only the first half of the answer arrives. */
  readonly cuts?: true;
  /** How long the request waits first, in milliseconds. */
  readonly delayMs?: number;
  /**
   * Whether GitHub refuses what was asked. A refusal is final, so the session may then end differently, as
   * long as a person is told and nothing hangs.
   */
  readonly refuses: boolean;
}

/**
 * `torn`: the machine stops, and files that Git wrote last are empty afterwards. `frozen`: the process stands
 * still for a while, as after SIGSTOP. The other two: its clock jumps, by an hour.
 */
export type Upheaval = 'torn' | 'frozen' | 'ahead' | 'behind';

const transient = { kills: false, processed: false, refuses: false };
const refusal = { kills: false, processed: false, refuses: true };

export const faults: { readonly [F in Fault]: FaultFacts } = {
  'kill before': { ...transient, kills: true },
  'kill after': { ...transient, kills: true, processed: true },
  'kill torn': { ...transient, kills: true, processed: true, machine: 'torn' },
  'drop before': transient,
  'drop after': { ...transient, processed: true },
  slow: { ...transient, processed: true, delayMs: 4000 },
  frozen: { ...transient, processed: true, machine: 'frozen' },
  'clock ahead': { ...transient, processed: true, machine: 'ahead' },
  'clock behind': { ...transient, processed: true, machine: 'behind' },
  limit: { ...transient, status: 403 },
  '401': { ...transient, status: 401 },
  revoked: { ...transient, processed: true, revokes: true },
  '403': { ...refusal, status: 403 },
  '404': { ...refusal, status: 404 },
  '405': { ...refusal, status: 405 },
  '409': { ...refusal, status: 409 },
  '422': { ...refusal, status: 422 },
  '429': { ...transient, status: 429 },
  '500': { ...transient, status: 500 },
  '502 after': { ...transient, processed: true, status: 502 },
  'cut after': { ...transient, processed: true, cuts: true },
};

/** Which request: the nth of a route, counted from 1 since the step before. */
export interface Moment {
  /** Such as `PATCH issues/{n}`, or `any`. */
  readonly route: string;
  readonly nth: number;
}

export interface Step extends Moment {
  readonly fault: Fault;
}

/** One fault, or one that comes while the App recovers from another. */
export type Disturbance = readonly Step[];

export function nameOf(disturbance: Disturbance): string {
  if (disturbance.length === 0) return 'nothing';
  return disturbance.map(({ fault, route, nth }) => `${fault} ${route} ${nth}`).join(', then ');
}

/** The opposite of `nameOf`. */
export function disturbanceNamed(name: string): Disturbance {
  if (name === 'nothing') return [];
  return name.split(', then ').map((part) => {
    const fault = Object.keys(faults).find((known): known is Fault => part.startsWith(`${known} `));
    const [, route, nth] = /^(.+) (\d+)$/.exec(part.slice((fault?.length ?? 0) + 1)) ?? [];
    if (fault === undefined || route === undefined) throw new Error(`"${part}" is not a fault at a request`);
    return { fault, route, nth: Number(nth) };
  });
}
