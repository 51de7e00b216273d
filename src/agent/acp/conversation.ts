import type { Profile, ToolServer } from '../../profiles/profile.ts';
import type { ToolCall } from '../../steering/shapes/attempt-result.ts';
import { shortened } from '../../text/characters.ts';
import { isOurTool } from '../human/ask-human.ts';
import {
  type AgentHost,
  type Image,
  type Outcome,
  parking,
  type QuestionAnswer,
  type QuestionRequest,
  type Told,
} from '../port/agent-adapter.ts';
import { at, textAt } from '../port/agent-values.ts';
import { AgentFault, AgentGone, faultIn, faultOf, isAnswer } from './agent-faults.ts';
import {
  allowedOnce,
  answerElicitation,
  answerPermission,
  cancelled,
  type Refusal,
  untilAborted,
} from './agent-requests.ts';
import {
  type Connection,
  connect,
  openSession,
  type Patience,
  type Session,
  within,
} from './agent-session.ts';
import { ToolCalls } from './tool-calls.ts';
import { Steering, Turn } from './turn.ts';
import { Updates } from './updates.ts';
import { Wire } from './wire.ts';

interface Options {
  readonly profile: Profile;
  readonly workspace: string;
  readonly servers: readonly ToolServer[];
  /** Whether our own server is one of them. */
  readonly canAsk: boolean;
  readonly prompt: string;
  readonly images: readonly Image[];
  readonly host: AgentHost;
  readonly patience: Patience;
}

/** A part of a prompt, in the protocol's words. */
type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

/** Everything between us and one agent, from the first message to the last. */
export class Conversation {
  readonly wire: Wire;
  readonly #options: Options;
  readonly #connection: Connection;
  readonly #calls: ToolCalls;
  readonly #updates: Updates;
  readonly #steering: Steering;
  #session: Session | undefined;
  #turn: Turn | undefined;
  #followUps = 0;
  #isOver = false;
  #isParking = false;
  #holding: Promise<unknown> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    const { profile, workspace, host, patience } = options;
    const { reading, title } = profile;
    const onEvent = host.event.bind(host);
    this.#calls = new ToolCalls({ reading, title, workspace, onEvent });
    this.#updates = new Updates({ reading, calls: this.#calls, onEvent });
    this.wire = new Wire({
      onNotification: (method, params) => this.#notified(method, params),
      onUnusable: (why) => this.#connection.close(new AgentFault('agent_unusable', `${title} ${why}`)),
    });
    this.#connection = connect(this.wire, (method, params, signal) => this.#answer(method, params, signal));
    this.#steering = new Steering(this.#connection, patience);
  }

  /** Null if the agent's process ended before it was done. Rejects for a fault of ours. */
  hold(): Promise<Outcome | null> {
    const holding = this.#hold();
    this.#holding = holding.catch(() => undefined); // whoever holds it hears of it
    return holding;
  }

  /**
   * Ends its turn, with everything that it asked, so that it takes no more prompts. False if it does not stop
   * in time, or has not begun.
   */
  async park(): Promise<boolean> {
    const { patience } = this.#options;
    const [session, turn] = [this.#session, this.#turn];
    this.#isParking = true;
    turn?.interrupt(parking);
    if (session === undefined || turn === undefined) return false;
    const stopping = turn.underway(patience.underwayMs).then(async () => {
      if (!turn.ended) await this.#connection.notify('session/cancel', { sessionId: session.id });
      await this.#holding;
      return true;
    });
    return within(stopping, patience.parkMs, new Error('it does not stop')).catch(() => false);
  }

  async #hold(): Promise<Outcome | null> {
    try {
      return await this.#converse();
    } catch (fault) {
      if (fault instanceof AgentGone) return null;
      if (fault instanceof AgentFault) return { kind: 'failed', failure: fault.failure };
      throw fault;
    } finally {
      this.#isOver = true;
      this.#turn?.end();
      this.#steering.close();
      this.#calls.abandon();
    }
  }

  steer(text: string): Promise<Told> {
    return this.#steering.steer(text);
  }

  /** The agent's process has ended, or was never started. */
  gone(): void {
    this.#steering.close();
    this.#connection.close(new AgentGone('the agent has ended'));
  }

  async #converse(): Promise<Outcome> {
    const { profile, workspace, servers, canAsk, patience, prompt } = this.#options;
    const slow = `${profile.title} was not ready for a prompt within ${patience.startMs / 1000} s`;
    const session = await within(
      openSession(this.#connection, { profile, workspace, servers, canAsk }),
      patience.startMs,
      new AgentFault('agent_unusable', slow),
    );
    this.#session = session;
    let next: readonly Block[] | null = [text(prompt), ...this.#imagesFor(session)];
    let turn = new Turn();
    while (next !== null) {
      turn = new Turn();
      await this.#take(turn, session, next);
      next = await this.#after(turn);
    }
    if (this.#isParking) return { kind: 'cancelled' };
    const { lastMessage } = this.#updates;
    return outcomeOf(turn, { title: profile.title, lastMessage, toolCalls: this.#calls.listed() });
  }

  #imagesFor({ takesImages }: Session): readonly Block[] {
    const { images, host, profile } = this.#options;
    if (takesImages)
      return images.map(({ data, mime_type }) => ({ type: 'image', data, mimeType: mime_type }));
    if (images.length > 0)
      host.event({
        type: 'notice',
        text: `${profile.title} takes no images: ${images.length} were left out`,
      });
    return [];
  }

  async #take(turn: Turn, { id: sessionId, ...session }: Session, prompt: readonly Block[]): Promise<void> {
    this.#turn = turn;
    this.#updates.beginTurn();
    const answering = this.#connection.request('session/prompt', { sessionId, prompt });
    this.#steering.prompted({ id: sessionId, ...session }, turn);
    try {
      const answer = await answering;
      this.#updates.endTurn(answer);
      turn.stop = textAt(answer, 'stopReason') ?? '(none)';
    } catch (fault) {
      if (!isAnswer(fault)) throw fault;
      this.#updates.endTurn({});
      // Some agents answer with an error when they are interrupted.
      if (!turn.interrupted) throw faultOf(this.#options.profile, fault, 'its prompt');
      turn.stop = 'cancelled';
    } finally {
      turn.end();
    }
  }

  /** The next prompt; null if there is none. */
  async #after(turn: Turn): Promise<readonly Block[] | null> {
    if (this.#isParking) return null;
    const told = await this.#steering.takeWaiting();
    if (told.length > 0) return told.map(text);
    const { profile, host } = this.#options;
    const { closingWords, lastPiece } = this.#updates;
    const fault = faultIn(profile, closingWords) ?? faultIn(profile, lastPiece);
    if (turn.stop === 'end_turn' && fault !== undefined) throw fault;
    const followUp = followUpTo(turn, this.#updates.activity);
    if (followUp === null || this.#followUps >= maxFollowUps) return null;
    this.#followUps += 1;
    host.event({ type: 'notice', text: `${profile.title} stopped, and is told: ${followUp}` });
    return [text(followUp)];
  }

  /** What comes before our first prompt is about earlier turns, and what comes after the last is too late. */
  #notified(method: string, params: unknown): void {
    const turn = this.#turn;
    if (method !== 'session/update' || turn === undefined || this.#isOver || !this.#isOurs(params)) return;
    turn.hear();
    try {
      this.#updates.receive(at(params, ['update']));
      this.#tellWhy(turn);
    } catch (fault) {
      if (!(fault instanceof AgentFault)) throw fault;
      this.#connection.close(fault);
    }
  }

  #answer(method: string, params: unknown, signal: AbortSignal): Promise<object> | undefined {
    if (method === 'session/request_permission') return this.#permission(params, signal);
    return method === 'elicitation/create' ? this.#question(params, signal) : undefined;
  }

  async #question(params: unknown, withdrawn: AbortSignal): Promise<object> {
    this.#calls.asks(textAt(params, 'toolCallId') ?? '');
    const unheld = AbortSignal.abort(parking);
    const ask = (question: QuestionRequest, hold?: false): Promise<QuestionAnswer> =>
      this.ask(question, hold === false ? unheld : withdrawn);
    const { host, profile } = this.#options;
    return answerElicitation(params, { title: profile.title, host, ask });
  }

  /** What is not answered when its turn ends stays open. */
  async ask(question: QuestionRequest, withdrawn: AbortSignal): Promise<QuestionAnswer> {
    const turn = this.#turn;
    if (turn === undefined || turn.signal.aborted)
      return { kind: 'refused', reason: 'it asked between turns' };
    turn.hear();
    const answering = this.#options.host.ask(question, AbortSignal.any([withdrawn, turn.signal]));
    return (await untilAborted(answering, turn.signal)) ?? { kind: 'parked' };
  }

  async #permission(params: unknown, withdrawn: AbortSignal): Promise<object> {
    const turn = this.#turn;
    if (turn === undefined || turn.signal.aborted || !this.#isOurs(params)) return cancelled;
    turn.hear();
    const signal = AbortSignal.any([withdrawn, turn.signal]);
    const { host } = this.#options;
    const call = at(params, ['toolCall']);
    if (this.#options.canAsk && isOurTool(call)) {
      // Some agents say only here which tool it is.
      this.#calls.see(textAt(call, 'toolCallId') ?? '', call);
      return allowedOnce(params);
    }
    try {
      const answering = answerPermission(params, {
        ...{ calls: this.#calls, host, signal },
        onRefusal: (refusal) => {
          turn.refusals.push(refusal);
          turn.activityBefore = this.#updates.activity;
        },
      });
      this.#tellWhy(turn);
      return await answering;
    } catch (fault) {
      this.#connection.close(fault instanceof Error ? fault : new Error(String(fault)));
      return cancelled;
    }
  }

  /**
   * What people said when they did not allow something: an agent that goes on by itself has heard no more of
   * it than that it may not. One that stops is told in its next prompt.
   */
  #tellWhy(turn: Turn): void {
    const untold = turn.refusals.filter((refusal) => refusal.untold);
    if (untold.length === 0 || turn.signal.aborted || this.#updates.activity === turn.activityBefore) return;
    for (const refusal of untold) refusal.untold = false;
    const { profile, host } = this.#options;
    const why = whyNot(untold);
    host.event({ type: 'notice', text: `${profile.title} goes on, and is told: ${why}` });
    // That the connection has ended is noticed where its answer is awaited.
    this.steer(why).catch(() => undefined);
  }

  #isOurs(params: unknown): boolean {
    return this.#session !== undefined && textAt(params, 'sessionId') === this.#session.id;
  }
}

function text(words: string): Block {
  return { type: 'text', text: words };
}

/** An agent that stops more often than that in an attempt does not get along without what it wants. */
const maxFollowUps = 5;

/**
 * What to tell an agent whose turn ended only because something was not allowed, or because we wanted to tell
 * it something and then did not; null if it ended by itself. Some agents go on after a refusal by themselves.
 */
function followUpTo({ stop, refusals, interrupted, activityBefore }: Turn, activity: number): string | null {
  const stopped = stop === 'cancelled';
  if (stopped && interrupted && refusals.length === 0) return goOn;
  const isSilent = stop === 'end_turn' && activity === activityBefore;
  if (refusals.length === 0 || !(stopped || isSilent)) return null;
  return whyNot(refusals);
}

function whyNot(refusals: readonly Refusal[]): string {
  const lines = refusals.slice(-maxNamed).map(({ title, reason }) => `- ${shortened(title, 500)}: ${reason}`);
  return [notAllowed, ...lines, '', withoutIt].join('\n');
}

const maxNamed = 10;
const goOn = 'You were interrupted by mistake. Go on with the task where you stopped.';
const notAllowed = 'This was not allowed:';
const withoutIt =
  'Go on with the task without it. Do not try the same thing in another way. ' +
  'If the task cannot be done without it, finish what can be done, and say what is missing and why.';

/** What is known when an agent takes no more prompts. */
interface Work {
  readonly title: string;
  readonly lastMessage: string;
  readonly toolCalls: readonly ToolCall[];
}

/** The outcome of an agent's last turn, by why it stopped. */
function outcomeOf({ stop, refusals }: Turn, work: Work): Outcome {
  switch (stop) {
    case 'end_turn':
      return completed(work);
    case 'max_tokens':
      return unsure(work, 'stopped at the limit of its model: its answer was too long');
    case 'max_turn_requests':
      return unsure(work, 'stopped at its own limit of requests to its model');
    case 'refusal':
      return failed('cannot', work.lastMessage || `${work.title} refuses to do this`);
    case 'cancelled':
      return refusals.length > 0
        ? unsure(work, 'kept stopping after it was not allowed something')
        : failed('exit', `${work.title} cancelled its turn by itself`);
    default:
      return unsure(work, `stopped for a reason that Coxswain does not know: ${shortened(stop, 100)}`);
  }
}

function completed({ lastMessage, toolCalls }: Work): Outcome {
  const summary = shortened(lastMessage, maxSummary);
  const said = summary !== lastMessage && { said: lastMessage };
  return { kind: 'completed', report: { summary, status: 'done', tool_calls: toolCalls }, ...said };
}

/** Its changes may be half of what was wanted, so people must look. */
function unsure({ title, lastMessage, toolCalls }: Work, why: string): Outcome {
  const told = `${title} ${why}.`;
  const summary = [shortened(lastMessage, maxSummary - told.length - 2), told].filter(Boolean).join('\n\n');
  return { kind: 'completed', report: { summary, status: 'uncertain', tool_calls: toolCalls } };
}

function failed(kind: 'cannot' | 'exit', message: string): Outcome {
  return { kind: 'failed', failure: { kind, message: shortened(message, maxSummary) } };
}

const maxSummary = 10_000;
