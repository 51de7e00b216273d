import { join } from 'node:path';
import createDebug from 'debug';
import type { Told } from '../../github/listen/heard.ts';
import { eraseMarks, withhold } from '../../github/show/withhold.ts';
import { react } from '../../github/write/write-comments.ts';
import type { Attachments } from '../../ledger/attachments.ts';
import type { LedgerLog } from '../../ledger/directory.ts';
import { type LedgerSnapshot, openLedger, type RunLedger } from '../../ledger/ledger.ts';
import type { LedgerStep, LedgerSteps } from '../../ledger/ledger-steps.ts';
import { type RunBase, readSettings, type SettingsReading } from '../../repository/configuration.ts';
import { messageOf } from '../../repository/faults.ts';
import { RecentMap } from '../../repository/recent-map.ts';
import { mirrorDir, type Repository } from '../../repository/repository.ts';
import { isAlwaysAnswered } from '../../steering/approval/authorization.ts';
import { approvedBy } from '../../steering/approval/auto-approval.ts';
import { isInQueue } from '../../steering/approval/in-merge-queue.ts';
import { decide } from '../../steering/decide.ts';
import { isInProgress } from '../../steering/phases/table.ts';
import {
  begun,
  doubted,
  hasUnmarked,
  hasUnrecorded,
  isNewer,
  outdatedMarks,
  recorded,
  unknown,
  withMarks,
} from '../../steering/process-state.ts';
import { isAwaitingChecks } from '../../steering/shapes/standing.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import type { Ledger, Recorded, Verdict } from '../../steering/state/ports.ts';
import type { State } from '../../steering/state/state.ts';
import { act, record } from '../../steering/steer.ts';
import type { LedgerTip } from '../../words/withheld-mark.ts';
import { withFacts } from '../facts/facts.ts';
import { Finishing, type FinishPart } from '../finish/check-again.ts';
import { mayEnd, takeBack } from '../finish/record-or-withhold.ts';
import { explain, tell, watching } from '../run/announce.ts';
import { CommentEdits, catchUpBefore } from '../run/catch-up.ts';
import { reportChecks } from '../run/ci-checks.ts';
import { drawnSeq } from '../run/lost-run.ts';
import { targetOf } from '../run/reply-context.ts';
import type { BodyEdit, OtherRuns, Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';
import { Acting } from './act-with-retries.ts';
import { openEffects, type RunEffects } from './effects.ts';
import { Outbox } from './outbox.ts';

interface Moved {
  readonly before: State | undefined;
  readonly after: State | undefined;
}

/** Whether a run waits for others since this event, or for their merges into another base. */
function isBlockedAnew({ before, after }: Moved): boolean {
  if (after?.standing.phase !== 'blocked') return false;
  return before?.standing.phase !== 'blocked' || before.run.base !== after.run.base;
}

const debug = createDebug('coxswain:record');

/** One run in this process: its ledger, its presenter, and its work in progress. */
export class LiveRun implements Run {
  readonly repository: Repository;
  readonly number: number;
  newest: State | undefined;
  readonly #sealed = new RecentMap<string, number>({ max: 100 });
  readonly passedOver = new RecentMap<string, true>({ max: 1_000 });
  process = unknown;
  /** Whether this process has recorded anything on it. */
  isChanged = false;

  readonly #services: Services;
  readonly #others: OtherRuns;
  readonly #ledger: RunLedger;
  readonly #effects: RunEffects;
  readonly #acting: Acting;
  readonly #outbox: Outbox;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  readonly #edits = new CommentEdits(this);
  readonly #finishing = new Finishing((part) => this.#finish(part));

  constructor(
    repository: Repository,
    number: number,
    services: Services,
    others: OtherRuns,
    onSteps: (steps: readonly LedgerStep[]) => void,
  ) {
    this.repository = repository;
    this.number = number;
    this.#services = services;
    this.#ledger = openLedger({
      dir: join(services.data, 'ledgers', String(repository.id), String(number)),
      remote: repository.remote,
      repositoryId: repository.id,
      number,
      presenter: services.presenter,
      seals: services.seals,
      drawnSeq: (head) => drawnSeq(this, services.seals, head),
      objects: [join(mirrorDir(services, repository), 'objects')],
      onSteps: (steps) => {
        this.#outbox.note(steps);
        onSteps(steps);
      },
      onForeign: (head) => services.others?.read(head),
      onNotice: (text) => services.log.warn(`${repository.owner}/${repository.name}: ${text}`),
      onFault: (fault) =>
        services.log.warn(`could not record which effects of ${this.name} are done: ${messageOf(fault)}`),
    });
    this.#others = others;
    this.#effects = openEffects(this, services, others);
    this.#outbox = this.#openOutbox();
    const ports = { ledger: this.#ledger, effects: this.#effects };
    this.#acting = new Acting(this, (state) => act(state, ports), {
      log: services.log,
      signal: this.#closing.signal,
    });
  }

  #openOutbox(): Outbox {
    const entries = {
      read: async (seq: number) => (await this.steps(seq - 1))?.steps ?? [],
      defer: (event: EventOf<'settled'>) => this.#ledger.defer(event, (before) => decide(before, event)),
      record: (event: EventOf<'settled'>) => this.#record(event, this.#ledger),
    };
    return new Outbox(this, entries, this.#services, this.#closing.signal);
  }

  get name(): string {
    return `${this.repository.owner}/${this.repository.name}#${this.number}`;
  }

  get tip(): LedgerTip | undefined {
    return this.#ledger.tip;
  }

  begin(): void {
    this.process = begun(this.process);
    this.#ledger.begin();
  }

  async record(said: Told, attachments?: Attachments): Promise<Recorded> {
    if (!(await this.#edits.mayMatter(said))) return this.#passOver(said, 'no steer of that comment waits');
    const stranger = said.type === 'said' && !isAlwaysAnswered(said.by.role) ? said : undefined;
    if (stranger && !this.#services.strangers.mayAnswer(this.repository.id, stranger)) {
      this.passedOver.set(said.id, true);
      return this.#passOver(said, 'too much from people without write access');
    }
    await catchUpBefore(said, this, this.#services.log);
    const asking = { run: this, services: this.#services, others: this.#others, sealed: this.#sealed };
    const event = await withFacts(said, asking);
    if (event === undefined) return this.#passOver(said, 'it has been undone, or is no news');
    if (mayEnd(event) && (await this.#isApproved()))
      await takeBack({ run: this, services: this.#services, event });
    const ledger = attachments === undefined ? this.#ledger : this.#ledger.withAttachments(attachments);
    const made = await this.#record(event, ledger);
    // The ledger does not keep what changes nothing, and the sweep would find it again and again.
    if (stranger && !made.fresh) this.passedOver.set(event.id, true);
    return made;
  }

  /** What cannot be read now cannot be recorded either; whoever records it sees to that. */
  async #isApproved(): Promise<boolean> {
    const state = await this.state().catch(() => this.newest);
    return state?.standing.phase === 'approved';
  }

  async #passOver(event: Told, why: string): Promise<Recorded> {
    debug('%s %s: passed over, %s', this.name, event.id, why);
    await this.#settle(event);
    return { state: this.newest, fresh: false };
  }

  async beginAnew(event: EventOf<'run_started'>): Promise<Recorded> {
    const links = await this.#others.linksOf(this);
    return this.#record({ ...event, ...links }, this.#ledger.recreating());
  }

  halt(show: () => Promise<void>): Promise<void> {
    this.process = doubted(this.process, this.#services.clock.now());
    if (this.newest !== undefined) {
      const standing = { phase: 'paused', why: 'ledger_lost', resumes_with: 'verify_head' } as const;
      this.newest = { ...this.newest, approvals: [], standing };
      this.#effects.engage(this.newest);
    }
    return this.#effects.interrupt(show);
  }

  #record(event: Event, ledger: Pick<Ledger, 'record'>): Promise<Recorded> {
    const recording = (async () => {
      const watched = watching(ledger);
      const made = await this.repository.pushes.paced(event, this, () => record(event, watched));
      explain(this.name, event, watched.verdict, made);
      this.isChanged ||= made.fresh;
      await this.#settle(event);
      if (made.fresh) this.#react(watched.verdict);
      if (made.fresh && event.type === 'reopened') await this.#services.noteRun?.(this.repository);
      if (made.state !== undefined) this.resume(made.state);
      const moved = { before: watched.before, after: made.state };
      if (made.fresh) tell(event, moved, this.#services);
      if (made.fresh && isBlockedAnew(moved)) this.#track(this.#others.lookAgain(this));
      return made;
    })();
    this.#edits.await(event, recording);
    // The caller handles a failure.
    this.#track(recording.catch(() => undefined));
    return recording;
  }

  /** Nothing depends on this, so a failure is only logged. */
  #react(verdict: Verdict | undefined): void {
    if (verdict?.outcome !== 'next' || verdict.reaction === undefined) return;
    const { comment_id, as: content, last } = verdict.reaction;
    const { log } = this.#services;
    const reacting = react(this.repository.octokit, this.repository, { comment_id, content, last }).then(
      (found) => {
        if (!found)
          log.info(`comment ${comment_id} of ${this.name} no longer exists, so it gets no ${content}`);
      },
      (fault: unknown) =>
        log.warn(`could not react to comment ${comment_id} of ${this.name}: ${messageOf(fault)}`),
    );
    this.#track(reacting);
  }

  readSettings(at: RunBase): Promise<SettingsReading> {
    const recorded = this.newest?.settings.inputs;
    return readSettings(this.repository, this.#services, { ...at, recorded });
  }

  async state(): Promise<State | undefined> {
    if (this.newest !== undefined && !this.#services.others?.present) return this.newest;
    return (await this.readLedger())?.state;
  }

  async readLedger(): Promise<LedgerSnapshot | undefined> {
    const snapshot = await this.#ledger.read();
    this.#services.unknownKeys.delete(this.name);
    if (snapshot !== undefined) this.#see(snapshot.state);
    return snapshot;
  }

  resume(state: State): void {
    this.#see(state);
    this.#track(this.#acting.on(state));
    this.#track(this.#outbox.deliver(state));
  }

  readonly readChecks = () => reportChecks(this, this.#services);

  finishAgain(only?: 'check'): Promise<void> {
    const finishing = this.#finishing.again(only);
    this.#track(finishing.catch(() => undefined));
    return finishing;
  }

  async #finish(part: FinishPart): Promise<void> {
    if (this.newest !== undefined) await this.#effects.finishAgain(this.newest, part);
  }

  withhold(event?: Told): Promise<void> {
    this.process = doubted(this.process, this.#services.clock.now(), event);
    // Whatever this process knows of the phase: another one may have recorded an approval.
    return this.#effects.interrupt(async () => {
      const target = targetOf(this.repository, this.number, this.#services);
      const always = this.newest !== undefined && approvedBy(this.newest) !== '';
      const unrecorded = hasUnmarked(this.process);
      const queued = isInQueue(this.newest);
      const { marked } = await withhold(target, { lost: false, unrecorded, always, queued });
      this.process = withMarks(this.process, marked);
      await this.#eraseMarks();
    });
  }

  /** The event is recorded, or changes nothing: what this process said of it voids no approval any more. */
  async #settle(event: Pick<Event, 'id'>): Promise<void> {
    this.process = recorded(this.process, event);
    await this.#eraseMarks();
  }

  async #eraseMarks(): Promise<void> {
    const marks = outdatedMarks(this.process);
    if (marks.length === 0) return;
    await eraseMarks(targetOf(this.repository, this.number, this.#services), marks);
    this.process = { ...this.process, marks: [] };
  }

  async repairLabels(): Promise<void> {
    const state = (await this.readLedger())?.state;
    if (state !== undefined) await this.#effects.repairLabels(state);
  }

  async repairBody(edit: BodyEdit): Promise<void> {
    const state = (await this.readLedger())?.state;
    if (state !== undefined) await this.#effects.repairBody(edit, state);
  }

  events(): Promise<readonly Event[]> {
    return this.#ledger.events();
  }

  ledgerLog(): Promise<LedgerLog | undefined> {
    return this.#ledger.log();
  }

  /** What has happened since the entry with this number; undefined if there is no ledger. */
  steps(after: number): Promise<LedgerSteps | undefined> {
    return this.#ledger.steps(after);
  }

  artefact(path: string): Promise<string | undefined> {
    return this.#ledger.readArtefact(path);
  }

  /** Resolves when every event so far has been acted upon and recorded. */
  async drained(): Promise<void> {
    await this.#effects.flush();
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await this.#ledger.flush();
  }

  /** Whether nothing is in progress. */
  get quiet(): boolean {
    return this.#underWay.size === 0;
  }

  /** Whether this object can be closed: nothing is in progress, and no engine works for the run. */
  get idle(): boolean {
    if (!this.quiet || hasUnrecorded(this.process)) return false;
    const standing = this.newest?.standing;
    return standing === undefined || !isInProgress(standing.phase) || isAwaitingChecks(standing);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#effects.close();
    await this.drained();
    await this.#ledger.close();
  }

  #see(state: State): void {
    if (this.newest !== undefined && !isNewer(state, this.newest)) return;
    this.newest = state;
    this.#services.onState?.(this.repository, state);
  }

  #track(work: Promise<unknown>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}
