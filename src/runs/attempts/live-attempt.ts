import type { Live } from '../../agent/live.ts';
import type { Told } from '../../agent/port.ts';
import type { AskedCall } from '../../steering/attempt-result.ts';
import { holdsLease } from '../../steering/fence.ts';
import type { Lease } from '../../steering/lease.ts';
import { usualPermissions } from '../../steering/permit.ts';
import type { Progress } from '../../steering/progress.ts';
import type { QueuedSteer } from '../../steering/queued-steer.ts';
import type { Limits } from '../../steering/settings.ts';
import { limitsOf } from '../../steering/spending.ts';
import type { CallAnswer, Working } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import { messageOf } from '../faults.ts';
import { isNewer } from '../newer-state.ts';
import type { Run } from '../run.ts';
import { type AttemptOptions, keepTrying, stamp } from './leased-work.ts';
import { LedgerWatch } from './ledger-watch.ts';

/** Of a run, what an agent at work has to do with. */
export type RunAtWork = Pick<Run, 'name' | 'newest' | 'record' | 'readLedger'>;

/** What joins an agent at work with its run: its questions become events, and what people say reaches it. */
export class LiveAttempt implements Live {
  readonly #run: RunAtWork;
  readonly #options: AttemptOptions;
  readonly #hold: Lease;
  readonly #began: State;
  readonly #watch: LedgerWatch;
  /** By the interaction of what was asked. */
  readonly #waiting = new Map<string, (answer: CallAnswer) => void>();
  readonly #told = new Set<string>();
  #tell: ((words: string) => Promise<Told>) | undefined;
  #telling: Promise<unknown> = Promise.resolve();

  /** `state` is the one with the lease. */
  constructor(run: RunAtWork, options: AttemptOptions, { hold, state }: { hold: Lease; state: State }) {
    this.#run = run;
    this.#options = options;
    this.#hold = hold;
    this.#began = state;
    this.#watch = new LedgerWatch(run, options.services, options.onState);
  }

  /** Told of every state of the run that this process learns of. */
  see(seen: State): void {
    // Whoever acts on a state may be slow, and the ledger may be read by others in the meantime.
    const state = isNewer(this.#state, seen) ? this.#state : seen;
    for (const [interaction, resolve] of this.#waiting) {
      const answer = answerIn(state, interaction, this.#hold);
      if (answer !== undefined) resolve(answer);
    }
    for (const steer of this.#workingIn(state)?.telling ?? []) this.#pass(steer);
  }

  async ask(call: AskedCall, signal: AbortSignal): Promise<CallAnswer> {
    const rest = this.#watch.often();
    try {
      const { hold_s } = this.#state.settings.permissions ?? usualPermissions;
      const asked = await this.#request(call, hold_s);
      if (asked === undefined) return movedOn;
      const lapse = (because: 'timeout' | 'withdrawn') => this.#lapse({ call, asked, because });
      return await this.#answered(asked, (answered) =>
        within(answered, { ms: hold_s * 1000, signal, lapse }),
      );
    } catch (fault) {
      this.#options.services.log.warn(
        `could not ask about a tool call of ${this.#run.name}: ${messageOf(fault)}`,
      );
      return { allowed: false, why: 'people could not be asked' };
    } finally {
      rest();
    }
  }

  attend(tell: (words: string) => Promise<Told>): () => void {
    this.#tell = tell;
    this.see(this.#state);
    const rest = this.#watch.now();
    return () => {
      rest();
      this.#tell = undefined;
    };
  }

  progress(progress: Progress): void {
    this.#options.services.progress?.show(this.#run.name, progress);
  }

  allowedRules(): readonly string[] {
    return this.#state.allowed_rules ?? [];
  }

  limits(): Limits {
    return limitsOf(this.#state);
  }

  get #state(): State {
    return this.#run.newest ?? this.#began;
  }

  #workingIn(state: State): Working | undefined {
    return holdsLease(state, this.#hold) && state.standing.phase === 'working' ? state.standing : undefined;
  }

  /** Passes on the answer to what was asked, which may be in the ledger already. */
  async #answered<T>(asked: string, use: (answered: Promise<CallAnswer>) => Promise<T>): Promise<T> {
    const answered = new Promise<CallAnswer>((resolve) => this.#waiting.set(asked, resolve));
    try {
      this.see(this.#state);
      return await use(answered);
    } finally {
      this.#waiting.delete(asked);
    }
  }

  /** The interaction; undefined if the run is no longer this agent's, or already waits for something else. */
  async #request(call: AskedCall, hold_s: number): Promise<string | undefined> {
    const { services } = this.#options;
    const until = new Date(services.clock.now().getTime() + hold_s * 1000).toISOString();
    const event = { ...stamp(this.#options, call.id), hold: this.#hold, call, until };
    const state = await this.#record({ type: 'permission_requested', ...event }, `ask about ${call.title}`);
    const asking = state && this.#workingIn(state)?.asking;
    return asking?.call.id === call.id ? asking.interaction.id : undefined;
  }

  async #lapse({ call, asked, because }: Lapse): Promise<CallAnswer> {
    const stamped = stamp(this.#options, `${call.id}:${because}`);
    const event = {
      type: 'permission_lapsed',
      ...stamped,
      hold: this.#hold,
      call: call.id,
      because,
    } as const;
    const state = await this.#record(event, 'end a question');
    // Somebody may have answered in the meantime.
    const answer = state && answerIn(state, asked, this.#hold);
    return answer ?? { allowed: false, why: 'nobody answered in time' };
  }

  /** The agent is told one thing after the other. */
  #pass(steer: QueuedSteer): void {
    if (this.#tell === undefined || this.#told.has(steer.id)) return;
    this.#told.add(steer.id);
    this.#telling = this.#telling.then(() => this.#passNow(steer));
  }

  async #passNow(steer: QueuedSteer): Promise<void> {
    const { services } = this.#options;
    try {
      const how = (await this.#tell?.(wordsOf(steer))) ?? 'unable';
      const stamped = stamp(this.#options, `told:${steer.id}`);
      await this.#record(
        { type: 'steer_told', ...stamped, hold: this.#hold, steer: steer.id, how },
        'tell it',
      );
    } catch (fault) {
      services.log.warn(`could not pass a steer to the agent of ${this.#run.name}: ${messageOf(fault)}`);
    }
  }

  async #record(event: Parameters<RunAtWork['record']>[0], doing: string): Promise<State | undefined> {
    const options = this.#options;
    const recorded = await keepTrying(() => this.#run.record(event), {
      doing: `${doing} (${this.#run.name})`,
      options,
    });
    return recorded.state;
  }
}

/** People's words, which the agent could otherwise take for ours. */
function wordsOf({ author, prompt }: QueuedSteer): string {
  return `${author} says, while you work:\n\n${prompt}`;
}

interface Lapse {
  readonly call: AskedCall;
  /** The interaction. */
  readonly asked: string;
  readonly because: 'timeout' | 'withdrawn';
}

const movedOn: CallAnswer = { allowed: false, why: 'the run has moved on' };

/** What became of a question, by its interaction; undefined while it is open. */
function answerIn(state: State, asked: string, hold: Lease): CallAnswer | undefined {
  const settled = state.interactions.find(({ id }) => id === asked);
  if (settled !== undefined) return settled.answer ?? movedOn;
  const isOurs = holdsLease(state, hold) && state.standing.phase === 'working';
  return isOurs && state.standing.asking?.interaction.id === asked ? undefined : movedOn;
}

interface Holding {
  readonly ms: number;
  readonly signal: AbortSignal;
  lapse(because: 'timeout' | 'withdrawn'): Promise<CallAnswer>;
}

/** The answer, or what becomes of the question when the time is over or nobody wants to know any more. */
async function within(answered: Promise<CallAnswer>, { ms, signal, lapse }: Holding): Promise<CallAnswer> {
  let timer: NodeJS.Timeout | undefined;
  let withdraw = (): void => undefined;
  const over = new Promise<'timeout' | 'withdrawn'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), ms);
    withdraw = () => resolve('withdrawn');
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
  });
  try {
    const first = await Promise.race([answered, over]);
    return typeof first === 'string' ? await lapse(first) : first;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', withdraw);
  }
}
