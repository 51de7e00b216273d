import { parking, type Told } from '../port/agent-adapter.ts';
import { textAt } from '../port/agent-values.ts';
import type { Refusal } from './agent-requests.ts';
import { type Connection, type Patience, type Session, within } from './agent-session.ts';

/** One prompt, and what happens until the agent stops. */
export class Turn {
  readonly refusals: Refusal[] = [];
  /** The activity of the agent when it was last refused something. */
  activityBefore = 0;
  /** Why it stopped: the protocol calls this its stop reason. */
  stop = '';
  #underway = false;
  #ended = false;
  #interrupted = false;
  readonly #interruption = new AbortController();
  readonly #changed: (() => void)[] = [];

  /** Aborted when its end is wanted, and when it has ended: what it asked needs no answer then. */
  get signal(): AbortSignal {
    return this.#interruption.signal;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Whether it was us who wanted it to end. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** With the reason `parking`, what it asked stays open. */
  interrupt(reason?: typeof parking): void {
    this.#interrupted ||= !this.#ended;
    this.#interruption.abort(reason);
  }

  /** The agent has begun to work on it: an interruption would reach it. */
  hear(): void {
    if (this.#underway) return;
    this.#underway = true;
    for (const tell of this.#changed.splice(0)) tell();
  }

  end(): void {
    this.#ended = true;
    this.#interruption.abort(parking);
    this.hear();
  }

  /** Resolves when the agent has begun to work on it, when it has ended, or after so long. */
  async underway(maxMs: number): Promise<void> {
    if (this.#underway) return;
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, maxMs);
      this.#changed.push(() => {
        clearTimeout(limit);
        resolve();
      });
    });
  }
}

/** Something that people tell the agent while it works. */
interface Word {
  readonly text: string;
  readonly told: Promise<Told>;
  tell(told: Told): void;
  /** Nobody expects it to be told any more. */
  isGivenUp: boolean;
}

/**
 * Tells an agent things while it works, one after the other: in the middle of its turn where the agent has a
 * way for that, else by ending the turn and going on with these words.
 *
 * A second prompt in a turn is no such way: agents merge it, queue it, drop the first, or answer it at once.
 */
export class Steering {
  readonly #connection: Connection;
  readonly #patience: Patience;
  #waiting: Word[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #injecting: Promise<unknown> = Promise.resolve();
  #session: Session | undefined;
  #turn: Turn | undefined;
  #over = false;
  #begin: () => void = () => undefined;
  readonly #began = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });

  constructor(connection: Connection, patience: Patience) {
    this.#connection = connection;
    this.#patience = patience;
  }

  /** Waits until the agent has its first prompt, and until everything before has been told. */
  steer(text: string): Promise<Told> {
    const told = this.#last.then(() => this.#tell(text));
    this.#last = told.catch(() => undefined); // whoever told it hears of it
    return told;
  }

  /** A prompt is sent. */
  prompted(session: Session, turn: Turn): void {
    this.#session = session;
    this.#turn = turn;
    this.#begin();
  }

  /** After a turn: what the next one has to begin with, which counts as told. */
  async takeWaiting(): Promise<readonly string[]> {
    await within(this.#injecting, this.#patience.steerMs, new Error('late')).catch(() => undefined);
    const words = this.#waiting;
    this.#waiting = [];
    for (const word of words) word.tell('restarted_turn');
    return words.map(({ text }) => text);
  }

  /** The agent takes no more prompts. */
  close(): void {
    this.#over = true;
    this.#begin();
    for (const word of this.#waiting.splice(0)) word.tell('unable');
  }

  async #tell(text: string): Promise<Told> {
    await this.#began;
    await this.#turn?.underway(this.#patience.underwayMs);
    const [session, turn] = [this.#session, this.#turn];
    if (this.#over || session === undefined || turn === undefined) return 'unable';
    const word = newWord(text);
    const injecting = session.takesSteering ? this.#inject(word, session) : this.#wait(word);
    this.#injecting = injecting;
    const late = new Error('the agent could not be told in time');
    const telling = injecting.then((isWaiting) => {
      if (isWaiting) this.#interrupt(session);
      return word.told;
    });
    return within(telling, this.#patience.steerMs, late).catch((fault: unknown) =>
      this.#giveUp(word, fault, late),
    );
  }

  /** True if it has to wait for the end of the turn after all. */
  async #inject(word: Word, { id: sessionId }: Session): Promise<boolean> {
    const prompt = [{ type: 'text', text: word.text }];
    const _meta = { steering: { idleBehavior: 'promptRequired' } };
    const answer = await this.#connection
      .request('_session/steering', { sessionId, prompt, _meta })
      .catch(() => undefined); // such as in the short while before or after a turn
    if (textAt(answer, 'outcome') !== 'injected') return this.#wait(word);
    word.tell('injected');
    return false;
  }

  async #wait(word: Word): Promise<boolean> {
    if (this.#over || word.isGivenUp) word.tell('unable');
    else this.#waiting.push(word);
    return !this.#over && !word.isGivenUp;
  }

  #interrupt({ id: sessionId }: Session): void {
    const turn = this.#turn;
    if (turn === undefined || turn.ended) return;
    turn.interrupt();
    // That the connection has ended is noticed where its answer is awaited.
    this.#connection.notify('session/cancel', { sessionId }).catch(() => undefined);
  }

  /** It is not told later either, when nobody expects it any more. */
  #giveUp(word: Word, fault: unknown, late: Error): Told {
    if (fault !== late) throw fault;
    word.isGivenUp = true;
    this.#waiting = this.#waiting.filter((each) => each !== word);
    return 'unable';
  }
}

function newWord(text: string): Word {
  let tell: Word['tell'] = () => undefined;
  const told = new Promise<Told>((resolve) => {
    tell = resolve;
  });
  return { text, told, tell, isGivenUp: false };
}
