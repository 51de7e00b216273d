import { join } from 'node:path';
import type { Attachments } from '../ledger/attachments.ts';
import { openLedger, type Remembered, type RunLedger } from '../ledger/ledger.ts';
import type { Event, EventOf } from '../steering/event.ts';
import type { Decide, Ledger, Recorded } from '../steering/ports.ts';
import type { State } from '../steering/state.ts';
import { settle, steer } from '../steering/steer.ts';
import { type BodyEdit, openEffects, type RunEffects } from './effects.ts';
import { messageOf } from './faults.ts';
import { lastDrawn } from './restore/last-drawn.ts';
import { retry } from './retry.ts';
import { mirrorDir, type Repository, type Services } from './services.ts';

/** One run in this process: its memory, its drawing, and what is under way for it. */
export class LiveRun {
  readonly repository: Repository;
  readonly number: number;
  /** The newest state seen here; undefined before anything was read or told. */
  newest: State | undefined;
  /** What GitHub has confirmed to this process of what was approved; the ledger alone can be forged. */
  confirmed: string | undefined;

  readonly #services: Services;
  readonly #ledger: RunLedger;
  readonly #effects: RunEffects;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(repository: Repository, number: number, services: Services) {
    this.repository = repository;
    this.number = number;
    this.#services = services;
    this.#ledger = openLedger({
      dir: join(services.data, 'ledgers', String(repository.id), String(number)),
      remote: repository.remote,
      number,
      leastSeq: () => lastDrawn(this),
      objects: [join(mirrorDir(services, repository), 'objects')],
      onFault: (fault) =>
        services.log.warn(`could not note what ${this.name} has settled: ${messageOf(fault)}`),
    });
    this.#effects = openEffects(this, services);
  }

  /** `owner/repo#n` */
  get name(): string {
    return `${this.repository.owner}/${this.repository.name}#${this.number}`;
  }

  /** Resolves when the event is remembered; acting upon it goes on behind, and is tried again if it fails. */
  tell(event: Event, attachments?: Attachments): Promise<Recorded> {
    return this.#tell(event, attachments === undefined ? this.#ledger : this.#ledger.carrying(attachments));
  }

  /** The same for the event that begins a lost ledger anew. */
  restore(event: EventOf<'restored'>): Promise<Recorded> {
    return this.#tell(event, this.#ledger.recreating());
  }

  /** Ends what is under way here for a run whose ledger is lost: nothing of it could be recorded. */
  halt(): void {
    if (this.newest === undefined) return;
    const standing = { phase: 'paused', why: 'ledger_lost', resumes_with: 'verify_head' } as const;
    this.newest = { ...this.newest, approvals: [], standing };
    this.#effects.engage(this.newest);
  }

  #tell(event: Event, memory: Pick<Ledger, 'record'>): Promise<Recorded> {
    return new Promise((resolve, reject) => {
      let remembered = false;
      const ledger = this.#tapped(memory, (recorded) => {
        remembered = true;
        resolve(recorded);
      });
      const told = steer(event, { ledger, effects: this.#effects });
      this.#track(told.catch((fault: unknown) => (remembered ? this.#actAgain(fault) : reject(fault))));
    });
  }

  /** The run as its ledger has it, read afresh. */
  async recall(): Promise<Remembered | undefined> {
    const remembered = await this.#ledger.read();
    if (remembered !== undefined) this.#see(remembered.state);
    return remembered;
  }

  /** Acts upon a state that was recalled, as if its last event had just been told. */
  resume(state: State): void {
    this.#see(state);
    this.#track(this.#act(state).catch((fault: unknown) => this.#actAgain(fault)));
  }

  /**
   * Somebody, perhaps we ourselves, wrote the pull request's body: what they lost, or removed, is put back.
   */
  async bodyEdited(edit: BodyEdit): Promise<void> {
    const state = (await this.recall())?.state;
    if (state !== undefined) await this.#effects.mend(edit, state);
  }

  events(): Promise<readonly Event[]> {
    return this.#ledger.events();
  }

  artefact(path: string): Promise<string | undefined> {
    return this.#ledger.readArtefact(path);
  }

  /** When everything told so far has been acted upon and written down. */
  async settled(): Promise<void> {
    await this.#effects.flush();
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    await this.#ledger.flush();
  }

  /** Whether nothing is under way, so that the lane may be put away. */
  get quiet(): boolean {
    return this.#underWay.size === 0;
  }

  /** Whether nobody is going to tell this lane anything: an engine at work for it is. */
  get idle(): boolean {
    const phase = this.newest?.standing.phase;
    return this.quiet && phase !== 'queued' && phase !== 'working' && phase !== 'verifying';
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.settled();
    await this.#ledger.close();
  }

  #tapped(ledger: Pick<Ledger, 'record'>, onRecorded: (recorded: Recorded) => void): Ledger {
    return {
      record: async (event: Event, decide: Decide) => {
        const recorded = await this.repository.pushes.paced(event, () => ledger.record(event, decide));
        if (recorded.state !== undefined) this.#see(recorded.state);
        onRecorded(recorded);
        return recorded;
      },
      // What another door owes is for that one to strike.
      defer: (event, decide) => {
        if (this.newest?.run.presenter === this.#services.presenter) this.#ledger.defer(event, decide);
      },
    };
  }

  #act(state: State): Promise<void> {
    return settle(state, { ledger: this.#tapped(this.#ledger, () => undefined), effects: this.#effects });
  }

  /** The state is remembered, so what failed can be done later; until then somebody should know. */
  async #actAgain(fault: unknown): Promise<void> {
    const { log } = this.#services;
    const { signal } = this.#closing;
    const act = async (attempt: number): Promise<void> => {
      if (attempt === 1) throw fault;
      if (!signal.aborted && this.newest !== undefined) await this.#act(this.newest);
    };
    const doing = `act for ${this.name}`;
    await retry(act, { doing, log, signal, firstWaitMs: 1_000, factor: 3 }).catch((last: unknown) =>
      log.error(`gave up acting for ${this.name} until the next sweep: ${messageOf(last)}`),
    );
  }

  #see(state: State): void {
    if (this.newest === undefined || isNewer(state, this.newest)) this.newest = state;
  }

  #track(work: Promise<unknown>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }
}

/** A ledger that was begun anew is newer than the one that was lost, however far that one had counted. */
function isNewer(state: State, than: State): boolean {
  // Said of a ledger that could not be read; now it can be.
  if (than.standing.phase === 'paused' && than.standing.why === 'ledger_lost') return true;
  const [begun = '', before = ''] = [state.restored?.at, than.restored?.at];
  return begun === before ? state.seq > than.seq : begun > before;
}
