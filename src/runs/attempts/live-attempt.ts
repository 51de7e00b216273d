import type { Live } from '../../agent/live.ts';
import type { Told } from '../../agent/port.ts';
import type { AskedCall } from '../../steering/attempt-result.ts';
import type { Limits } from '../../steering/limits.ts';
import { usualPermissions } from '../../steering/permission/permit.ts';
import type { Progress } from '../../steering/progress.ts';
import { limitsOf } from '../../steering/spending/spending.ts';
import type { CallAnswer, Lease, Working } from '../../steering/standing.ts';
import type { State } from '../../steering/state.ts';
import type { QueuedSteer } from '../../steering/steers/queued-steer.ts';
import { holdsLease } from '../../steering/step.ts';
import { messageOf } from '../faults.ts';
import type { Run } from '../run.ts';
import { type AttemptOptions, keepTrying, type SteerWatch, stamp } from './leased-work.ts';
import { LedgerWatch } from './ledger-watch.ts';

/** A slow push, with a second try. */
const maxWaitMs = 15_000;

/** What is needed of the run. */
type LedgerOfRun = Pick<Run, 'name' | 'newest' | 'record' | 'readLedger'>;

/** What joins an agent at work with its run: its questions become events, and what people say reaches it. */
export class LiveAttempt implements Live {
  readonly #run: LedgerOfRun;
  readonly #options: AttemptOptions;
  readonly #hold: Lease;
  readonly #began: State;
  readonly #watch: LedgerWatch;
  readonly #waiting = new Map<Question, (answer: CallAnswer) => void>();
  readonly #told = new Set<string>();
  #tell: ((words: string) => Promise<Told>) | undefined;
  #telling: Promise<unknown> = Promise.resolve();
  readonly #steered = new AbortController();

  /** `state` is the one with the lease. */
  constructor(run: LedgerOfRun, options: AttemptOptions, { hold, state }: { hold: Lease; state: State }) {
    this.#run = run;
    this.#options = options;
    this.#hold = hold;
    this.#began = state;
    this.#watch = new LedgerWatch(run, options.services, options.onState);
  }

  /** Told of every state of the run that this process learns of. */
  see(state: State): void {
    for (const [question, resolve] of this.#waiting) {
      const answer = answerIn(state, question, this.#hold);
      if (answer !== undefined) resolve(answer);
    }
    for (const steer of this.#workingIn(state)?.telling ?? []) this.#pass(steer);
    if (holdsLease(state, this.#hold) && state.queue.length > 0) this.#steered.abort();
  }

  /** Watches for steers while the verifiers run, which begin another iteration whatever these say. */
  awaitSteers(): SteerWatch {
    this.see(this.#state);
    return { steered: this.#steered.signal, end: this.#watch.now() };
  }

  async ask(call: AskedCall, signal: AbortSignal): Promise<CallAnswer> {
    const rest = this.#watch.often();
    let question: Question | undefined;
    try {
      const { hold_s } = this.#state.settings.permissions ?? usualPermissions;
      const asked = await this.#request(call, hold_s);
      if (asked === undefined) return movedOn;
      question = asked;
      const answered = new Promise<CallAnswer>((resolve) => this.#waiting.set(asked, resolve));
      this.see(this.#state); // it may have been answered at once
      const lapse = (because: 'timeout' | 'withdrawn') => this.#lapse(asked, because);
      return await within(answered, { ms: hold_s * 1000, signal, lapse });
    } catch (fault) {
      this.#options.services.log.warn(
        `could not ask about a tool call of ${this.#run.name}: ${messageOf(fault)}`,
      );
      return { allowed: false, why: 'people could not be asked' };
    } finally {
      rest();
      if (question !== undefined) this.#waiting.delete(question);
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

  /**
   * Waits until it is recorded what the agent has heard: what is recorded after its result counts as not
   * heard, and would be said again. But a result does not wait for long.
   */
  async told(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxWaitMs)));
    await Promise.race([this.#telling, late]);
    clearTimeout(timer);
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

  /** Undefined if the run is no longer this agent's, or already waits for something else. */
  async #request(call: AskedCall, hold_s: number): Promise<Question | undefined> {
    const { services } = this.#options;
    const until = new Date(services.clock.now().getTime() + hold_s * 1000).toISOString();
    const event = { ...stamp(this.#options, call.id), hold: this.#hold, call, until };
    const state = await this.#record({ type: 'permission_requested', ...event }, `ask about ${call.title}`);
    const asking = state && this.#workingIn(state)?.asking;
    if (state === undefined || asking?.call.id !== call.id) return undefined;
    return { call: call.id, interaction: asking.interaction.id, seq: state.seq };
  }

  async #lapse(question: Question, because: 'timeout' | 'withdrawn'): Promise<CallAnswer> {
    const { call } = question;
    const stamped = stamp(this.#options, `${call}:${because}`);
    const event = { type: 'permission_lapsed', ...stamped, hold: this.#hold, call, because } as const;
    const state = await this.#record(event, 'end a question');
    // Somebody may have answered in the meantime.
    const answer = state && answerIn(state, question, this.#hold);
    return answer ?? { allowed: false, why: 'nobody answered in time' };
  }

  /** The agent is told one thing after the other. */
  #pass(steer: QueuedSteer): void {
    if (this.#tell === undefined || this.#told.has(steer.id)) return;
    this.#told.add(steer.id);
    this.#telling = this.#telling.then(() => this.#passNow(steer));
  }

  async #passNow({ id }: QueuedSteer): Promise<void> {
    const { services } = this.#options;
    try {
      const how = await this.#tellAsItIs(id);
      // What an agent that has ended did not hear is for the next one, which its result begins.
      if (how === undefined || (how === 'unable' && this.#tell === undefined)) return;
      const event = { type: 'steer_told', ...stamp(this.#options, `told:${id}`), hold: this.#hold } as const;
      await this.#record({ ...event, steer: id, how }, 'tell it');
    } catch (fault) {
      services.log.warn(`could not pass a steer to the agent of ${this.#run.name}: ${messageOf(fault)}`);
    }
  }

  /** Its author may change it, or take it back, until the agent has heard it. */
  async #tellAsItIs(id: string): Promise<Told | undefined> {
    let how: Told | undefined;
    let said: string | undefined;
    for (let steer = this.#onItsWay(id); steer && steer.prompt !== said; steer = this.#onItsWay(id)) {
      how = await this.#tell?.(wordsOf(steer));
      if (how === undefined) return undefined;
      said = steer.prompt;
    }
    return how;
  }

  #onItsWay(id: string): QueuedSteer | undefined {
    return this.#workingIn(this.#state)?.telling?.find((steer) => steer.id === id);
  }

  async #record(event: Parameters<Run['record']>[0], doing: string): Promise<State | undefined> {
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

/** A tool call that was put before people. */
interface Question {
  readonly call: string;
  readonly interaction: string;
  /** Where the ledger was when it was asked, or a little later. */
  readonly seq: number;
}

/** What became of a question; undefined while it is open, and of a state from before it was asked. */
function answerIn(state: State, { interaction, seq }: Question, hold: Lease): CallAnswer | undefined {
  if (state.seq < seq) return undefined;
  if (!holdsLease(state, hold) || state.standing.phase !== 'working') return movedOn;
  if (state.standing.asking?.interaction.id === interaction) return undefined;
  // What was asked before has an answer, too, which is not the one to this.
  return state.interactions.find(({ id }) => id === interaction)?.answer ?? movedOn;
}

const movedOn: CallAnswer = { allowed: false, why: 'the run has moved on' };

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
