import type { GitHubEvent } from '../../../src/github/events/github-event.ts';
import { hearWords, wordsIn } from '../../../src/github/listen/hear-comment.ts';
import { type Deed, isForEntryPoint, isNote, type Told } from '../../../src/github/listen/heard.ts';
import { translate } from '../../../src/github/listen/translate.ts';
import { missedCommands } from '../../../src/github/read/missed-commands.ts';
import { lastReopening, type PullFacts, readPull } from '../../../src/github/read/pulls.ts';
import { recordClick } from '../../../src/github/write/completed-checks.ts';
import type { Attachments } from '../../../src/ledger/attachments.ts';
import { UnderWay } from '../../../src/runs/run/background-work.ts';
import { isQueued, mayMatter } from '../../../src/runs/run/catch-up.ts';
import { reportChecks } from '../../../src/runs/run/ci-checks.ts';
import { releaseLost } from '../../../src/runs/run/overdue.ts';
import type { Run } from '../../../src/runs/run/run.ts';
import { knownTip } from '../../../src/steering/branch/changed-base.ts';
import {
  isBeforeBase,
  isBeforeClosing,
  isBeforeReopening,
  isUndoneOn,
  retargetId,
} from '../../../src/steering/branch/outdated-answers.ts';
import { deadlines } from '../../../src/steering/handlers/deadlines.ts';
import { interruptIn, isResolution, spawningIn } from '../../../src/steering/iterations/interactions.ts';
import { act, record } from '../../../src/steering/loop.ts';
import { mayHear } from '../../../src/steering/objections.ts';
import { isOver } from '../../../src/steering/phases/table.ts';
import { covers } from '../../../src/steering/shapes/people.ts';
import type { Deadline } from '../../../src/steering/shapes/standing.ts';
import type { Event } from '../../../src/steering/state/event.ts';
import type { Effects, Ledger, Recorded } from '../../../src/steering/state/ports.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { run } from '../samples.ts';
import { checkFinish, spokenIn } from './check-finish.ts';
import { looksAgain, withFacts } from './depending.ts';
import { effectsOf } from './effects.ts';
import { type Hub, own, repository } from './hub.ts';
import { apiOf } from './hub-api.ts';
import type { Job } from './job.ts';
import { KnownLog, type Log } from './log.ts';

const marginMs = 60_000;

/** What happens to one process while it acts. */
export interface Trouble {
  /** GitHub refuses the nth write of effects. */
  refusedWrite?: number;
  /** Its answer to that write is lost. */
  lostAnswer?: number;
  /** What happens between two requests. */
  meanwhile?: (() => Promise<void>) | undefined;
}

/**
 * One process of the App with one run, as src/runs joins the parts: it hears, sweeps, works and acts. What
 * decides and reads is the real thing; only what waits, retries or logs is left out.
 */
export class Process {
  readonly hub: Hub;
  readonly ledger: KnownLog;
  readonly name: string;
  newest: State | undefined;
  readUpTo: string | undefined;
  confirmed: string | undefined;
  job: Job | undefined;
  trouble: Trouble = {};
  /** A state was recorded or read on which this process has not acted. */
  isDue = false;
  readonly started = new Map<string, Promise<void>>();
  readonly recordingWords = new UnderWay();
  readonly #effects: Effects;
  #writes = 0;

  constructor(hub: Hub, log: Log, name: string) {
    this.hub = hub;
    this.name = name;
    this.ledger = new KnownLog(log);
    this.#effects = effectsOf(this);
  }

  read(): State | undefined {
    const state = this.ledger.read();
    if (state !== undefined) this.#see(state);
    return state;
  }

  async reread(): Promise<void> {
    this.read();
  }

  /** By GitHub's clock. */
  now(): string {
    return this.clock;
  }

  async record(event: Event, attachments?: Attachments): Promise<Recorded> {
    if (!(await mayMatter(event, this))) return { state: this.newest, fresh: false };
    await this.#catchUpBefore(event);
    return this.#record(withFacts(event, this.hub, this.newest), attachments);
  }

  /** Before somebody decides about a task that failed, as src/runs looks what has happened to its branch. */
  async #catchUpBefore(event: Event): Promise<void> {
    if (event.type !== 'said' || !isResolution(event.command.type)) return;
    const state = this.read();
    if (state === undefined || this.ledger.seen.has(event.id)) return;
    if (interruptIn(state) === undefined || spawningIn(state) !== undefined) return;
    await this.#catchUpMoves(state, await readPull(apiOf(this.hub), repository, run.number));
  }

  /** A webhook has arrived. Throws if it has to be delivered again. */
  async hears(incoming: GitHubEvent): Promise<void> {
    if (incoming.kind === 'check_ended') await this.readChecks();
    if (isNote(incoming) || isForEntryPoint(incoming)) return;
    for (const event of await this.#translate(incoming)) {
      if (event.type === 'comment_changed') await this.#checkIfApproving(event.comment_id);
      if (event.type === 'retargeted') await this.#retarget(event);
      else if (!(await this.#isUndone(event))) {
        await this.#keepClick(event);
        await this.record(event);
      }
    }
  }

  async #translate(incoming: Deed): Promise<readonly Told[]> {
    const octokit = apiOf(this.hub);
    const heard = await translate(incoming, { octokit, own, trigger: '' });
    const words = wordsIn(incoming, heard, own);
    const state = words && this.read();
    const isHeard = words !== undefined && state !== undefined && mayHear(state, words.how);
    const all = isHeard ? [...heard, ...(await hearWords(words, { octokit }))] : heard;
    return all.flatMap((each) => (each.kind === 'event' ? [each.event] : []));
  }

  async #isUndone(event: Event): Promise<boolean> {
    if (event.type !== 'closed' && event.type !== 'reopened') return false;
    if (event.type === 'closed' && event.merged) return false;
    return isUndoneOn(await readPull(apiOf(this.hub), repository, run.number), event);
  }

  /** Brings what was missed, from answers of GitHub that may be so many milliseconds old. */
  async sweep(lag: number, isGone: (holder: string) => boolean): Promise<void> {
    const state = this.read();
    if (state === undefined) return;
    if (isOver(state.standing.phase)) return this.#sweepEnded(state, lag);
    await this.#catchUp(state, lag);
    await releaseLost(this, state, { isGone: ({ holder }) => isGone(holder) });
    await this.readChecks();
    await this.#noteBase();
    await this.firesDue();
    await looksAgain(this);
    this.isDue = true;
    await this.finishAgain();
  }

  /** Every deadline that has passed, earliest first. */
  async firesDue(): Promise<void> {
    for (let fired = 0; fired < 5; fired++) {
      const state = this.read();
      const [first] = state === undefined ? [] : deadlines(state);
      if (first === undefined || Date.parse(first.at) > this.hub.now) return;
      await this.#fires(first);
    }
  }

  async #fires({ kind, at: deadline }: Deadline): Promise<void> {
    const state = this.read();
    if (state !== undefined) await this.#catchUp(state, 0);
    const { newest } = this;
    const spoken =
      kind === 'proceed' && newest ? await spokenIn(this.hub, newest, this.ledger.seen) : undefined;
    const due = { type: 'timer_due', id: `timer:${kind}:${deadline}`, timer: kind, deadline } as const;
    await this.record({ ...due, at: this.clock, ...(spoken !== undefined && { spoken }) });
  }

  /** Performs what is owed and draws the newest state. */
  async acts(): Promise<void> {
    if (this.newest === undefined) return;
    this.isDue = false;
    this.#writes = 0;
    await act(this.newest, { ledger: this.port(), effects: this.#effects }).catch((fault: unknown) => {
      this.isDue = true;
      throw fault;
    });
  }

  /** Counts a write to GitHub, which may fail, or be done although it seems to fail. */
  async write(work: () => void | Promise<void>): Promise<void> {
    this.#writes += 1;
    await this.pause();
    if (this.trouble.refusedWrite === this.#writes) throw new Refused('GitHub refuses');
    await work();
    if (this.trouble.lostAnswer === this.#writes) throw new Refused('the answer was lost');
  }

  /** Others do something before this process goes on. */
  async pause(): Promise<void> {
    const { meanwhile } = this.trouble;
    this.trouble.meanwhile = undefined;
    await meanwhile?.();
  }

  /** What GitHub says of the checks of CI. */
  async readChecks(): Promise<void> {
    this.read();
    const octokit = apiOf(this.hub);
    const mirror = async () => ({ resolve: async () => this.hub.base_sha });
    // Of a run, only what is read of it.
    const run = { newest: this.newest, repository: { ...repository, octokit, mirror }, name: 'run' };
    const services = { secrets: [] };
    const recording = {
      ...run,
      services,
      now: () => this.clock,
      record: (event: Event) => this.record(event),
    };
    await this.pause();
    await reportChecks(recording as unknown as Run);
  }

  /** As src/runs does while people are asked about a merge. */
  async #noteBase(): Promise<void> {
    const { newest: state } = this;
    const known = state && knownTip(state);
    const { base_sha, base_commits: commits } = this.hub;
    const isAsked = ['awaiting_approval', 'awaiting_resolution'].includes(state?.standing.phase ?? '');
    if (!state?.shown || known === undefined || known === base_sha || !isAsked) return;
    const { head_sha: head, at: shown_at } = state.shown;
    const id = `base:${base_sha}@${shown_at}`;
    await this.record({ type: 'base_moved', id, at: this.clock, head, base_sha, commits });
  }

  async finishAgain(): Promise<void> {
    const { newest } = this;
    if (newest?.standing.phase !== 'approved' || newest.standing.finish !== 'finished') return;
    await checkFinish(this, newest);
  }

  /** By GitHub's clock. */
  get clock(): string {
    return new Date(this.hub.now).toISOString();
  }

  port(attachments?: Attachments): Ledger {
    return {
      record: async (event, decide) => this.ledger.record({ event, decide }, attachments),
      defer: (event, decide) => this.ledger.defer({ event, decide }),
    };
  }

  async #record(event: Event, attachments?: Attachments): Promise<Recorded> {
    const recording = record(event, this.port(attachments));
    if (event.type === 'said') this.recordingWords.add(recording);
    const recorded = await recording;
    if (recorded.state !== undefined) {
      this.#see(recorded.state);
      this.isDue = true;
    }
    return recorded;
  }

  #see(state: State): void {
    if (this.newest === undefined || state.seq > this.newest.seq) this.newest = state;
  }

  async #sweepEnded(state: State, lag: number): Promise<void> {
    this.isDue = state.owed.length > 0;
    if (this.isDue || !this.hub.before(lag).pull.open) return;
    const reopening = await lastReopening(apiOf(this.hub, lag), repository, run.number);
    if (reopening === undefined || isBeforeClosing(this.ledger.seen, reopening.at)) return;
    await this.record({ type: 'reopened', id: `reopened:${reopening.at}`, ...reopening });
  }

  async #catchUp(state: State, lag: number): Promise<void> {
    const octokit = apiOf(this.hub, lag);
    const pull = await readPull(octokit, repository, run.number);
    const since = this.readUpTo === undefined ? state.started_at : before(this.readUpTo);
    const subject = { ...pull, repository, seen: this.ledger.seen };
    const { events, read_at } = await missedCommands(octokit, subject, since);
    await this.pause();
    for (const incoming of events)
      for (const heard of await translate(incoming, { octokit, own, trigger: '' })) {
        if (heard.kind !== 'event' || heard.event.type === 'retargeted') continue;
        const { event } = heard;
        if (event.type !== 'comment_changed' || isQueued(this.newest, event)) await this.record(event);
      }
    this.readUpTo = read_at ?? this.readUpTo;
    await this.#catchUpMoves(state, pull);
  }

  async #catchUpMoves(state: State, pull: PullFacts): Promise<void> {
    if (!pull.open) {
      const at = pull.closed_at ?? pull.updated_at;
      if (isBeforeReopening(this.ledger.seen, at)) return;
      const turn = { type: 'closed', id: `closed:${at}`, at, by: 'somebody' } as const;
      await this.record({ ...turn, merged: pull.merged, base: pull.base_ref });
      return;
    }
    const { base_ref: base, updated_at: at, head_sha } = pull;
    if (base !== state.run.base && !isBeforeBase(state, pull))
      await this.#recordBase(state, { base, at, by: 'somebody' });
    if (head_sha === state.head) return;
    const head = this.hub.branch;
    if (head === undefined || head === state.head) return;
    const push = { type: 'pushed', id: `push:${head}@${at}`, at, by: 'somebody', head } as const;
    await this.record({ ...push, before: state.head, forced: false });
  }

  async #retarget(told: { readonly base: string; readonly at: string; readonly by: string }): Promise<void> {
    const state = this.read();
    if (state === undefined) return;
    const { base } = this.hub.pull;
    if (base === state.run.base) return;
    await this.#recordBase(state, told.base === base ? told : { base, at: this.hub.at, by: 'somebody' });
  }

  async #recordBase(
    state: State,
    { base, at, by }: { readonly base: string; readonly at: string; readonly by: string },
  ): Promise<void> {
    const change = this.hub.facts.turns.findLast(
      ({ event, about }) => event === 'retargeted' && about === base,
    );
    const when = change?.at ?? at;
    const settings = this.hub.settingsFor(base);
    const id = retargetId({ base, at: when }, { seen: this.ledger.seen, seq: state.seq });
    await this.record({
      ...{ type: 'retargeted', id, at: when, base, settings, by },
      same_commit: base === state.run.base,
    });
  }

  async #checkIfApproving(comment_id: number): Promise<void> {
    const approvals = this.newest?.approvals ?? [];
    if (approvals.some(({ source }) => source.from === 'comment' && source.comment_id === comment_id))
      await this.finishAgain();
  }

  /** As src/runs keeps it, before it is recorded. */
  async #keepClick(event: Event): Promise<void> {
    if (event.type !== 'said' || event.source.from !== 'click') return;
    if (event.command.type !== 'approve' || !covers(event.by.role, 'write')) return;
    const place = { where: repository, number: run.number, own };
    await recordClick(apiOf(this.hub), place, { by: event.by, source: event.source });
  }
}

/** GitHub did not do it, or seems not to have done it. */
export class Refused extends Error {
  override name = 'Refused';
}

function before(time: string): string {
  return new Date(Date.parse(time) - marginMs).toISOString();
}
