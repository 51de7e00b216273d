import { type Live, parking, type QuestionAnswer, type Told } from '../agent/port/agent-adapter.ts';
import { messageOf } from '../repository/faults.ts';
import { limitsOf } from '../steering/iterations/spending.ts';
import { holdsLease } from '../steering/iterations/step.ts';
import { usualPermissions } from '../steering/permission/permitted-calls.ts';
import type { Progress } from '../steering/shapes/agent-progress.ts';
import type { AskedCall } from '../steering/shapes/attempt-result.ts';
import type { Limits } from '../steering/shapes/limits.ts';
import type { QueuedSteer } from '../steering/shapes/people.ts';
import type { AskedQuestion } from '../steering/shapes/question.ts';
import type { CallAnswer, Lease, OpenQuestion, Working } from '../steering/shapes/standing.ts';
import type { Event } from '../steering/state/event.ts';
import type { State } from '../steering/state/state.ts';
import type { AttemptedRun } from './engine.ts';
import {
  type AttemptOptions,
  type AttemptServices,
  keepTrying,
  type SteerWatch,
  stamp,
} from './leased-work.ts';

/** A slow push, with a second try. */
const maxWaitMs = 15_000;

/** What is needed of the run. */
type LedgerOfRun = Pick<AttemptedRun, 'name' | 'newest' | 'record' | 'readLedger'>;

/** What joins an agent at work with its run: its questions become events, and what people say reaches it. */
export class LiveAttempt implements Live {
  readonly #run: LedgerOfRun;
  readonly #options: AttemptOptions;
  readonly #hold: Lease;
  readonly #began: State;
  readonly #watch: LedgerWatch;
  readonly #waiting = new Set<(state: State) => void>();
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
    for (const look of this.#waiting) look(state);
    for (const steer of this.#workingIn(state)?.telling ?? []) this.#pass(steer);
    if (holdsLease(state, this.#hold) && state.queue.length > 0) this.#steered.abort();
  }

  /** Watches for steers while the verifiers run, which begin another iteration whatever these say. */
  awaitSteers(): SteerWatch {
    this.see(this.#state);
    return { steered: this.#steered.signal, end: this.#watch.now() };
  }

  async ask(call: AskedCall, signal: AbortSignal): Promise<CallAnswer | 'parked'> {
    const { hold_s } = this.#state.settings.permissions ?? usualPermissions;
    const { services } = this.#options;
    const until = new Date(services.clock.now().getTime() + hold_s * 1000).toISOString();
    return this.#putting(
      `ask about ${call.title}`,
      { allowed: false, why: 'people could not be asked' },
      async () => {
        const event = { ...stamp(this.#options, call.id), hold: this.#hold, call, until };
        const state = await this.#record(
          { type: 'permission_requested', ...event },
          `ask about ${call.title}`,
        );
        const asking = state && this.#workingIn(state)?.asking;
        if (state === undefined || asking?.call.id !== call.id) return movedOn;
        const asked = { interaction: asking.interaction.id, seq: state.seq };
        const answered = this.#until((each) => answerIn(each, asked, this.#hold));
        const first = await within(answered, { ms: hold_s * 1000, signal });
        if (first !== 'withdrawn') return first === 'timeout' ? 'parked' : first;
        const lapsed = { ...stamp(this.#options, `${call.id}:withdrawn`), hold: this.#hold, call: call.id };
        const ended = { type: 'permission_lapsed', ...lapsed, because: 'withdrawn' } as const;
        const after = await this.#record(ended, 'end a question');
        // Somebody may have answered in the meantime.
        return (after && answerIn(after, asked, this.#hold)) ?? movedOn;
      },
    );
  }

  question(asked: AskedQuestion, signal: AbortSignal): Promise<QuestionAnswer> {
    const unasked = {
      kind: 'refused',
      reason: 'people could not be asked: go on without an answer',
    } as const;
    return this.#putting('ask a question', unasked, async () => {
      const event = { ...stamp(this.#options, asked.id), hold: this.#hold, asked };
      const state = await this.#record({ type: 'question_asked', ...event }, 'ask a question');
      const isOpen = state?.questions?.some((each) => each.asked.id === asked.id);
      if (state === undefined || !this.#workingIn(state)) return { kind: 'refused', reason: movedOn.why };
      if (!isOpen) return replyIn(state, asked, this.#hold) ?? { kind: 'refused', reason: askedEnough };
      const replied = this.#until((each) => replyIn(each, asked, this.#hold));
      const ms = this.#options.services.holdQuestionsMs;
      const first = await within(replied, { ms, signal });
      if (first === 'timeout') return { kind: 'parked' };
      if (first !== 'withdrawn') return first;
      const withdrawn = { ...stamp(this.#options, `${asked.id}:withdrawn`), hold: this.#hold };
      const ended = { type: 'question_withdrawn', ...withdrawn, question: asked.id } as const;
      const after = await this.#record(ended, 'end a question');
      return (after && replyIn(after, asked, this.#hold)) ?? { kind: 'refused', reason: 'it was withdrawn' };
    });
  }

  awaitsAnswer(): boolean {
    const { iteration, attempt } = this.#hold;
    const isOfThis = ({ interaction: { of } }: OpenQuestion): boolean =>
      of.iteration === iteration && of.attempt === attempt;
    return this.#workingIn(this.#state) !== undefined && (this.#state.questions ?? []).some(isOfThis);
  }

  /** Whatever other processes record is looked for often, and nobody's place is taken. */
  async #putting<T>(doing: string, otherwise: T, ask: () => Promise<T>): Promise<T> {
    const rest = this.#watch.often();
    this.#options.onWaiting(true);
    try {
      return await ask();
    } catch (fault) {
      this.#options.services.log.warn(`could not ${doing} (${this.#run.name}): ${messageOf(fault)}`);
      return otherwise;
    } finally {
      this.#options.onWaiting(false);
      rest();
    }
  }

  /** What is found in the first state that has it. */
  #until<T>(find: (state: State) => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const look = (state: State): void => {
        const found = find(state);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look(this.#state); // it may have been answered at once
    });
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

  async #record(event: Event, doing: string): Promise<State | undefined> {
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
interface Asked {
  readonly interaction: string;
  /** Where the ledger was when it was asked, or a little later. */
  readonly seq: number;
}

/** What became of a call; undefined while it is open, and of a state from before it was asked. */
function answerIn(state: State, { interaction, seq }: Asked, hold: Lease): CallAnswer | undefined {
  if (state.seq < seq) return undefined;
  if (!holdsLease(state, hold) || state.standing.phase !== 'working') return movedOn;
  if (state.standing.asking?.interaction.id === interaction) return undefined;
  // What was asked before has an answer, too, which is not the one to this.
  return state.interactions.find(({ id }) => id === interaction)?.answer ?? movedOn;
}

const movedOn: CallAnswer = { allowed: false, why: 'the run has moved on' };

/** What became of a question; undefined while it is open. */
function replyIn(state: State, { id }: AskedQuestion, hold: Lease): QuestionAnswer | undefined {
  if (!holdsLease(state, hold)) return { kind: 'refused', reason: movedOn.why };
  if (state.questions?.some(({ asked }) => asked.id === id)) return undefined;
  const settled = state.interactions.findLast(
    ({ question, of }) =>
      question?.id === id && of?.iteration === hold.iteration && of.attempt === hold.attempt,
  );
  if (settled === undefined) return undefined;
  const { reply, by, how } = settled;
  return reply === undefined ? { kind: 'refused', reason: how } : { kind: 'answered', text: reply, by };
}

const askedEnough =
  'people already have enough questions from this run: go on with an assumption, and state it in your report';

/** The answer, or that the time is over, or that nobody wants to know any more. */
async function within<T>(
  answered: Promise<T>,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<T | 'timeout' | 'withdrawn'> {
  let timer: NodeJS.Timeout | undefined;
  let withdraw = (): void => undefined;
  const over = new Promise<'timeout' | 'withdrawn'>((resolve) => {
    timer = setTimeout(() => resolve('timeout'), ms);
    // With the agent gone, what it asked is still to be answered.
    withdraw = () => resolve(signal.reason === parking ? 'timeout' : 'withdrawn');
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
  });
  try {
    return await Promise.race([answered, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', withdraw);
  }
}

/** How often the ledger is read while an agent works, and while it waits for people, in milliseconds. */
const everyMs = { now: 5_000, often: 2_000 } as const;

/**
 * What people say to a run may be recorded by another process: a replica of the App, or another job. While an
 * agent works here, the ledger is therefore read from time to time, unless there is no such process.
 */
class LedgerWatch {
  readonly #run: Pick<AttemptedRun, 'name' | 'readLedger'>;
  readonly #services: AttemptServices;
  readonly #onState: (state: State) => void;

  /** `onState` is only told: what the state owes is done by whoever recorded it. */
  constructor(
    run: Pick<AttemptedRun, 'name' | 'readLedger'>,
    services: AttemptServices,
    onState: (state: State) => void,
  ) {
    this.#run = run;
    this.#services = services;
    this.#onState = onState;
  }

  /** Reads the ledger every few seconds, until the result is called. */
  now(): () => void {
    return this.#read(everyMs.now);
  }

  /** Reads the ledger more often, while somebody waits for an answer, until the result is called. */
  often(): () => void {
    return this.#read(everyMs.often);
  }

  #read(ms: number): () => void {
    let isReading = false;
    const timer = setInterval(() => {
      if (isReading || !this.#services.hasOthers()) return;
      isReading = true;
      void this.#once().finally(() => (isReading = false));
    }, ms);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #once(): Promise<void> {
    const { log } = this.#services;
    try {
      const snapshot = await this.#run.readLedger();
      if (snapshot !== undefined) this.#onState(snapshot.state);
    } catch (fault) {
      log.info(`could not look whether ${this.#run.name} has moved: ${messageOf(fault)}`);
    }
  }
}
