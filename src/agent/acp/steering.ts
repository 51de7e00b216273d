import type { Told } from '../port/agent.ts';
import { textAt } from '../port/values.ts';
import type { Connection } from './connection.ts';
import { type Patience, within } from './limits.ts';
import type { Session } from './session.ts';
import type { Turn } from './turn.ts';

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
