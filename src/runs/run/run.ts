import createDebug from 'debug';
import type { Told } from '../../github/listen/heard.ts';
import { isFinalRefusal, MissingPermission } from '../../github/octokit/fault.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import type { Presenter } from '../../github/show/present.ts';
import { eraseMarks, withhold } from '../../github/show/withhold.ts';
import type { PullTarget } from '../../github/write/pull-target.ts';
import { Comments } from '../../github/write/write-comments.ts';
import type { Attachments } from '../../ledger/attachments.ts';
import type { LedgerSnapshot, RunLedger } from '../../ledger/ledger.ts';
import type { LedgerStep } from '../../ledger/ledger-steps.ts';
import { type RunBase, readSettings, type SettingsReading } from '../../repository/configuration.ts';
import { RecentMap } from '../../repository/recent-map.ts';
import type { Repository } from '../../repository/repository.ts';
import { approvedBy } from '../../steering/approval/auto-approval.ts';
import { isInQueue } from '../../steering/approval/in-merge-queue.ts';
import { isAlwaysAnswered } from '../../steering/approval/reply-limit.ts';
import { deadlines } from '../../steering/handlers/deadlines.ts';
import { act, type Decided, record } from '../../steering/loop.ts';
import { isInProgress } from '../../steering/phases/table.ts';
import {
  begun,
  doubted,
  hasUnmarked,
  hasUnrecorded,
  isNewer,
  neverLooked,
  outdatedMarks,
  type ProcessState,
  recorded,
  withMarks,
} from '../../steering/process-state.ts';
import { type Deadline, isAwaitingChecks } from '../../steering/shapes/standing.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import type { Performable } from '../../steering/state/pending-effect.ts';
import type { Effects, Ledger, Performed, Recorded } from '../../steering/state/ports.ts';
import type { State } from '../../steering/state/state.ts';
import { shortened } from '../../text/characters.ts';
import { missingPermissionText } from '../../words/own-faults.ts';
import { explain, reactTo, tell } from './announce.ts';
import { Acting, Once, orTell, Rounds, UnderWay, waitFor } from './background-work.ts';
import { Outbox } from './outbox.ts';
import { type Services, targetOf } from './services.ts';
import { WorkDisplay } from './work-display.ts';

/** `check`: only what the approval rests on is checked; without it, what may be merged by now is merged. */
export type FinishPart = 'check';

/**
 * What a run leaves to those that stand above it: they know runs, and a run knows none of them. `wiring.ts`
 * joins the two.
 */
export interface Wiring {
  /** Opens its ledger; `onSteps` is told what this process records there. */
  ledger(run: Run, onSteps: (steps: readonly LedgerStep[]) => void): RunLedger;
  /** Opens what draws it on its pull request. */
  presenter(run: Run): Presenter;
  /** Completes an event before it is decided; the reason if nothing of it is to be recorded. */
  prepare(told: Told, run: Run): Promise<Prepared>;
  /** Performs one effect; the run sees to it that it is done only once. */
  perform(effect: Performable, state: State, run: Run): Promise<void>;
  /** Checks an approved run once more, and merges what may be merged by now. */
  finish(part: FinishPart | undefined, state: State, run: Run): Promise<void>;
  /** Acts on a deadline that has come; never rejects. */
  fire(deadline: Deadline, run: Run): Promise<void>;
  /** In whose place a run is whose ledger is lost, and which runs are in its own, by their ledgers. */
  linksOf(run: Run): Promise<Pick<EventOf<'run_started'>, 'replaces' | 'replaced_by'>>;
  /** Looks whether it can begin, if it waits for others since this entry of its ledger; never rejects. */
  recorded(decided: Decided, run: Run): Promise<void>;
}

/** An event with all that the deciding has to know, or why it is passed over. */
export type Prepared = { readonly event: Event } | { readonly passedOver: string };

const debug = createDebug('coxswain:record');

/**
 * One run in this process: what it has come to, what this process remembers of it, and the one way in which
 * an event becomes its next state.
 */
export class Run implements Effects {
  readonly repository: Repository;
  /** The pull request's number. */
  readonly number: number;
  readonly services: Services;
  readonly ledger: RunLedger;
  /** Draws it on its pull request. */
  readonly drawing: Presenter;
  /** The newest state this process knows; undefined before anything was read or recorded. */
  newest: State | undefined;
  /** What this process remembers of the run. */
  process: ProcessState = neverLooked;
  /** Ids of what people without write access said and this process did nothing about. */
  readonly passedOver = new RecentMap<string, true>({ max: 1_000 });
  /** The comments of doors that this process has seen on it, by the digests of their texts. */
  readonly sealed = new RecentMap<string, number>({ max: 100 });
  /** Words that are being recorded; one of them may be the steer that an edit is about. */
  readonly recordingWords = new UnderWay();
  /** What is done only once for it. */
  readonly once = new Once();
  /** Whether this process has recorded anything on it. */
  isChanged = false;

  readonly #wiring: Wiring;
  readonly #acting: Acting;
  readonly #outbox: Outbox;
  readonly #work: WorkDisplay;
  readonly #finishing: Rounds<FinishPart>;
  #stopTimer: (() => void) | undefined;
  #reading: Promise<unknown> | undefined;
  readonly #underWay = new UnderWay();
  readonly #closing = new AbortController();

  /** `onSteps` is told at once what this process records. */
  constructor(
    repository: Repository,
    number: number,
    services: Services,
    wiring: Wiring,
    onSteps: (steps: readonly LedgerStep[]) => void,
  ) {
    this.repository = repository;
    this.number = number;
    this.services = services;
    this.#wiring = wiring;
    this.ledger = wiring.ledger(this, (steps) => {
      this.#outbox.note(steps);
      onSteps(steps);
    });
    this.drawing = wiring.presenter(this);
    this.#outbox = new Outbox(this, this.#closing.signal);
    this.#work = new WorkDisplay(this);
    this.#finishing = new Rounds(async (part) => {
      const state = this.newest;
      if (state === undefined) return;
      const finishing = this.#wiring.finish(part, state, this);
      await (part === 'check' ? finishing : this.#namingPermission(state, finishing));
    });
    const acting = (state: State) => act(state, { ledger: this.ledger, effects: this });
    this.#acting = new Acting(this, acting, { log: services.log, signal: this.#closing.signal });
  }

  /** `owner/repo#n` */
  get name(): string {
    return `${this.repository.owner}/${this.repository.name}#${this.number}`;
  }

  /** GitHub's time, ISO 8601. */
  now(): string {
    return this.services.clock.now().toISOString();
  }

  /** The pull request as GitHub has it now. */
  pull(): Promise<PullFacts> {
    return readPull(this.repository.octokit, this.repository, this.number);
  }

  /** The pull request, or an issue of its repository, as a target for comments. */
  target(number = this.number): PullTarget {
    return targetOf(this.repository, number, this.services);
  }

  /** Says something once for each id, even across restarts; our comments are looked through back to `since`. */
  async say(id: string, text: string, { since, on }: { since: string; on?: number }): Promise<void> {
    const comments = new Comments(this.target(on), since);
    await comments.create({ kind: 'reply', id }, async () => text);
  }

  /** The run begins here: its pull request is new, so nothing about it need be read. */
  begin(): void {
    this.process = begun(this.process);
    this.ledger.begin();
  }

  /**
   * Resolves when the event is in the ledger, or is passed over; acting on it continues in the background,
   * with retries.
   */
  record(told: Told, attachments?: Attachments): Promise<Recorded> {
    const recording = this.#prepareAndRecord(told, attachments);
    this.#underWay.add(recording);
    return recording;
  }

  async #prepareAndRecord(told: Told, attachments?: Attachments): Promise<Recorded> {
    const prepared = await this.#wiring.prepare(told, this);
    if ('passedOver' in prepared) {
      debug('%s %s: passed over, %s', this.name, told.id, prepared.passedOver);
      await this.#settle(told);
      return { state: this.newest, fresh: false };
    }
    const ledger = attachments === undefined ? this.ledger : this.ledger.withAttachments(attachments);
    const made = await this.#record(prepared.event, ledger);
    // The ledger does not keep what changes nothing, and the sweep would find it again and again.
    if (!made.fresh && told.type === 'said' && !isAlwaysAnswered(told.by.role))
      this.passedOver.set(told.id, true);
    return made;
  }

  /** Records the first event of a new ledger, in the place of one that is lost. */
  async beginAnew(event: EventOf<'run_started'>): Promise<Recorded> {
    const links = await this.#wiring.linksOf(this);
    return this.#record({ ...event, ...links }, this.ledger.recreating());
  }

  /**
   * Stops the work on a run whose ledger is lost, because its results could not be recorded. What shows the
   * loss is done between two renderings. This state is in no ledger: any that is read takes its place.
   */
  halt(show: () => Promise<void>): Promise<void> {
    this.process = doubted(this.process, this.services.clock.now());
    if (this.newest !== undefined) {
      const standing = { phase: 'paused', why: 'ledger_lost', resumes_with: 'verify_head' } as const;
      this.newest = { ...this.newest, approvals: [], standing };
      this.engage(this.newest);
    }
    return this.drawing.interrupt(show);
  }

  #record(event: Event, ledger: Pick<Ledger, 'record'>): Promise<Recorded> {
    const recording = (async () => {
      const made = await this.repository.pushes.paced(event, this, () => record(event, ledger));
      explain(this.name, event, made);
      this.isChanged ||= made.fresh;
      await this.#settle(event);
      if (made.fresh) this.#underWay.add(reactTo(this, made));
      if (made.fresh && event.type === 'reopened') await this.services.noteRun?.(this.repository);
      if (made.state !== undefined) this.resume(made.state);
      if (made.fresh) tell(event, made, this.services);
      if (made.fresh) this.#underWay.add(this.#wiring.recorded(made, this));
      return made;
    })();
    if (event.type === 'said') this.recordingWords.add(recording);
    this.#underWay.add(recording);
    return recording;
  }

  /** The settings that hold for a base now, from the default branch. */
  readSettings(at: RunBase): Promise<SettingsReading> {
    const inputs = this.newest?.settings.inputs;
    return readSettings(this.repository, this.services, { ...at, recorded: inputs });
  }

  /**
   * What the run has come to; undefined if there is no ledger. What this process knows of it is outdated as
   * soon as another one records something, so beside other processes of the App the ledger is read. A job of
   * the Action has read it a moment ago.
   */
  async state(): Promise<State | undefined> {
    if (this.newest !== undefined && !this.services.others?.present) return this.newest;
    return (await this.readLedger())?.state;
  }

  /** Reads the ledger from the remote; undefined if there is none. */
  async readLedger(): Promise<LedgerSnapshot | undefined> {
    const snapshot = await this.ledger.read();
    this.services.unknownKeys.delete(this.name);
    if (snapshot !== undefined) this.#see(snapshot.state);
    return snapshot;
  }

  /** Reads the ledger once more, together with whoever asks meanwhile. */
  async reread(): Promise<void> {
    this.#reading ??= this.readLedger().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /** A file of the ledger, such as `iterations/0/1/implement/prompt.md`. */
  artefact(path: string): Promise<string | undefined> {
    return this.ledger.readArtefact(path);
  }

  /** Acts on a state that was read, as if its last event had just been recorded. */
  resume(state: State): void {
    this.#see(state);
    this.#underWay.add(this.#acting.on(state));
    this.#underWay.add(this.#outbox.deliver(state));
  }

  /** Starts the work that is queued, stops what is outdated, and waits for the next deadline. */
  engage(state: State): void {
    this.services.engine.engage(this, state);
    const [next] = this.#closing.signal.aborted ? [] : deadlines(state);
    this.#stopTimer?.();
    const fire = () => next && this.#underWay.add(this.#wiring.fire(next, this));
    this.#stopTimer = next && waitFor(next, this.services.clock, fire);
  }

  /** A reply that GitHub refuses for good is given up; other effects are tried again until they are done. */
  async perform(effect: Performable, state: State): Promise<Performed> {
    try {
      const performing = this.once.do(effect.id, () => this.#wiring.perform(effect, state, this));
      await (effect.do === 'merge' ? this.#namingPermission(state, performing) : performing);
      return { outcome: 'done' };
    } catch (fault) {
      if (effect.do !== 'reply' || !isFinalRefusal(fault)) throw fault;
      this.services.log.warn(`${this.name}: GitHub refuses a ${effect.do} for good: ${fault.message}`);
      return { outcome: 'impossible', reason: shortened(fault.reason, 300) };
    }
  }

  /** Draws a state on the pull request, or a newer one. */
  present(state: State): Promise<void> {
    return this.#namingPermission(state, this.drawing.present(state));
  }

  /**
   * Without a permission the pull request cannot be updated, and nobody would know why. So a comment names
   * the permission and where to grant it, once for each permission, even across restarts.
   */
  async #namingPermission(state: State, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (fault) {
      if (fault instanceof MissingPermission) {
        const id = `missing:${fault.permission.replace(/[^\w=,;]/g, '_')}`;
        const text = missingPermissionText(fault.message, state.run.presenter);
        await this.once.do(id, () => this.say(id, text, { since: state.started_at }));
      }
      throw fault;
    }
  }

  /**
   * If the run is approved, checks once more what that rests on, and merges what may be merged by now. Merges
   * nothing if `only` says so.
   */
  finishAgain(only?: FinishPart): Promise<void> {
    const finishing = this.#finishing.again(only);
    this.#underWay.add(finishing);
    return finishing;
  }

  /**
   * Takes back what permits merging, because this event, or an approval, cannot be recorded or checked. Never
   * rejects: why it could not be done is told.
   */
  withhold(event?: Told): Promise<void> {
    this.process = doubted(this.process, this.services.clock.now(), event);
    // Whatever this process knows of the phase: another one may have recorded an approval.
    const withholding = async () => {
      const always = this.newest !== undefined && approvedBy(this.newest) !== '';
      const unrecorded = hasUnmarked(this.process);
      const queued = isInQueue(this.newest);
      const { marked } = await withhold(this.target(), { lost: false, unrecorded, always, queued });
      this.process = withMarks(this.process, marked);
      await this.#eraseMarks();
    };
    return orTell(this.services.log, `withhold ${this.name}`, () => this.drawing.interrupt(withholding));
  }

  /** The event is recorded, or changes nothing: what this process said of it voids no approval any more. */
  async #settle(event: Pick<Event, 'id'>): Promise<void> {
    this.process = recorded(this.process, event);
    await this.#eraseMarks();
  }

  async #eraseMarks(): Promise<void> {
    const marks = outdatedMarks(this.process);
    if (marks.length === 0) return;
    await eraseMarks(this.target(), marks);
    this.process = { ...this.process, marks: [] };
  }

  /** Resolves when every event so far has been acted upon and recorded. */
  async drained(): Promise<void> {
    await this.drawing.flush();
    while (!this.quiet) await this.#underWay.done();
    await this.ledger.flush();
  }

  /** Whether nothing is in progress. */
  get quiet(): boolean {
    return this.#underWay.isEmpty;
  }

  /** Whether this object can be closed: nothing is in progress, and no engine works for the run. */
  get idle(): boolean {
    if (!this.quiet || hasUnrecorded(this.process)) return false;
    const standing = this.newest?.standing;
    return standing === undefined || !isInProgress(standing.phase) || isAwaitingChecks(standing);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#stopTimer?.();
    this.#work.close();
    await this.drained();
    await this.ledger.close();
  }

  #see(state: State): void {
    if (this.newest !== undefined && !isNewer(state, this.newest)) return;
    this.newest = state;
    this.services.onState?.(this.repository, state);
  }
}
