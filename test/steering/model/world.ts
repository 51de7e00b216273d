import { isDeepStrictEqual } from 'node:util';
import { decide } from '../../../src/steering/decide.ts';
import type { Settings } from '../../../src/steering/shapes/settings.ts';
import type { Event } from '../../../src/steering/state/event.ts';
import type { State } from '../../../src/steering/state/state.ts';
import { ada, run, task } from '../samples.ts';
import { Dice } from './dice.ts';
import { Hub } from './hub.ts';
import { works } from './job.ts';
import { Busy, Log, type LogCommit } from './log.ts';
import { type Deed, deeds } from './people.ts';
import { Process, Refused } from './process.ts';
import { Record } from './record.ts';

/** What can happen next, and what it depends on. */
export interface Step {
  readonly do: Deed | Act;
  readonly dice: readonly number[];
  /** What others do before a process goes on with it. */
  readonly meanwhile?: Step | undefined;
}

export const acts = [
  'hears',
  'forgets',
  'acts',
  'works',
  'sweeps',
  'times out',
  'waits',
  'crashes',
  'has trouble',
] as const;
export type Act = (typeof acts)[number];

const hour = 3_600_000;

/** How the run begins: on its own, after others, or anew because its ledger was lost. */
export type Beginning = 'alone' | 'depending' | 'anew';

/** GitHub, the people, and the processes of one App around one run. */
export class World {
  readonly hub: Hub;
  readonly log: Log;
  readonly record = new Record();
  processes: Process[];
  /** The names of processes that are no more. */
  readonly #gone = new Set<string>();
  #names = 0;
  steps = 0;

  constructor(settings: Settings, begins: Beginning = 'alone') {
    this.hub = new Hub(settings);
    this.log = new Log(this.hub, (before, commit) => this.#recorded(before, commit));
    const at = this.hub.at;
    const waits = { task: { ...task, depends_on: ['#3'] }, on: [{ number: 3, is: 'open' } as const] };
    const lost = { how: 'vanished', seq: 3 } as const;
    const known = {
      ...{ run, settings, by: ada, ...(begins === 'depending' ? waits : { task }) },
      ...(begins === 'anew' && { lost }),
    };
    const started = { type: 'run_started', id: 'issue:1:run', at, ...known } as const;
    const first = this.#process();
    const event: Event = { ...started, source: null };
    first.ledger.record({ event, decide: (state) => decide(state, event) });
    first.read();
    this.processes = [first, this.#process()];
  }

  /** Does one thing, with any process that is not busy. What fails is tried again later, as in src/runs. */
  async play(step: Step, busy?: Process): Promise<void> {
    this.steps += 1;
    const dice = new Dice(step.dice);
    this.hub.now += dice.oneOf(1000, 1000, 0, 300, 5000, 65_000);
    if (step.do in deeds) return deeds[step.do as Deed](this.hub, dice);
    const process = dice.among(this.processes.filter((each) => each !== busy));
    if (process === undefined) return;
    const { meanwhile } = step;
    process.trouble.meanwhile = meanwhile && (() => this.play(meanwhile, process));
    await this.#act(step.do as Act, process, dice).catch(onlyExpected);
    process.trouble = {};
    process.ledger.trouble = undefined;
    this.record.checkHub(this.hub);
  }

  async #act(act: Act, process: Process, dice: Dice): Promise<void> {
    const { hub } = this;
    switch (act) {
      case 'hears':
        return this.hears(process, dice);
      case 'forgets':
        hub.news.take(dice.roll(hub.news.size + 1));
        return;
      case 'acts':
        return process.acts();
      case 'works':
        await works(process, dice);
        return dice.rarely(3) ? undefined : process.acts();
      case 'sweeps':
        return process.sweep(dice.oneOf(0, 0, 3000, 20_000, 45_000), this.isGone);
      case 'times out':
        return this.#timesOut(process);
      case 'waits':
        hub.now += dice.oneOf(60_000, 10 * 60_000, hour, 3 * hour, 25 * hour);
        return;
      case 'crashes':
        this.#gone.add(process.name);
        this.processes = this.processes.map((each) => (each === process ? this.#process() : each));
        return;
      case 'has trouble':
        disturb(process, dice);
        this.record.lostAnswers += 1;
        return dice.rarely(2) ? this.hears(process, dice) : process.acts();
    }
  }

  /** One webhook arrives, perhaps again later; one that could not be handled is delivered again. */
  async hears(process: Process, dice: Dice): Promise<void> {
    const { news } = this.hub;
    const event = news.take(dice.rarely(3) ? dice.roll(news.size + 1) : 0);
    if (event === undefined) return;
    if (dice.rarely(8)) news.add(event);
    try {
      await process.hears(event);
    } catch (fault) {
      news.add(event);
      throw fault;
    }
    if (!dice.rarely(3)) await process.acts();
  }

  async #timesOut(process: Process): Promise<void> {
    await process.firesDue();
  }

  readonly isGone = (holder: string): boolean => this.#gone.has(holder.split(':')[0] ?? '');

  #process(): Process {
    this.#names += 1;
    return new Process(this.hub, this.log, `process-${this.#names}`);
  }

  #recorded(before: State | undefined, { head, event, movesBranch }: LogCommit): void {
    if (before === undefined) return;
    const verdict = decide(before, event);
    const after = head.state;
    if (verdict.outcome === 'nothing' || !isDeepStrictEqual(verdict.state, after))
      throw new Error(`${event.id} is in the ledger with another state than it leads to`);
    this.record.check({ before, event, verdict, after }, movesBranch ? this.hub.branch : undefined);
  }
}

function disturb({ ledger, trouble }: Process, dice: Dice): void {
  const [what, nth] = [dice.roll(4), 1 + dice.roll(3)];
  if (what < 2) ledger.trouble = what === 0 ? 'refused' : 'answer lost';
  else if (what === 2) trouble.refusedWrite = nth;
  else trouble.lostAnswer = nth;
}

/** Outages are expected, faults of ours are not. */
function onlyExpected(fault: unknown): void {
  if (!(fault instanceof Busy) && !(fault instanceof Refused)) throw fault;
}
