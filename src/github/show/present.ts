import type { Octokit } from '@octokit/rest';
import type { PendingEffect } from '../../steering/pending-effect.ts';
import type { State } from '../../steering/state.ts';
import { mention, type Sources, sentence, settledAsk } from '../words/index.ts';
import { CheckRuns } from './check-runs.ts';
import { Comments } from './comments.ts';
import { mergeEdit } from './merge-edit.ts';
import { Pull } from './pull.ts';
import { type Place, repositoryOf, statusOf, type Teller } from './pull-target.ts';
import { RenderScheduler } from './render-scheduler.ts';
import { type View, viewOf } from './view.ts';

/** Draws one run's pull request and says what is owed to people there. */
export interface Presenter {
  /**
   * Makes the pull request look as the state says, and writes only what differs.
   * Resolves when it is drawn, or when a newer state has taken its place; so nobody's lane may wait for it.
   */
  present(state: State): Promise<void>;
  /** Says or acknowledges something, once, however often it is asked for. */
  pay(owed: Payable, state: State): Promise<void>;
  /** Puts back what a human had just written and our own write removed; false when nothing was. */
  restore(edit: { readonly before: string; readonly after: string }, state: State): Promise<boolean>;
  /** Draws at once what waits to be drawn. */
  flush(): Promise<void>;
}

export type Payable = Extract<PendingEffect, { do: 'react' | 'reply' }>;

export interface PresenterOptions {
  readonly octokit: Octokit;
  /** Our own login on GitHub, as `coxswain[bot]`. */
  readonly own: { readonly login: string };
  /** The repository by its names of now. What the ledger says of it is old, or forged. */
  readonly where: { readonly owner: string; readonly repo: string };
  /** The state as the ledger has it now; undefined when it has none. */
  readonly reread: () => Promise<State | undefined>;
  readonly sources: Sources;
  readonly log?: Teller;
  /** How long a phase in which work goes on must last to be drawn; 3000 unless told. */
  readonly drawAfterMs?: number | undefined;
}

/** One for each run; what it remembers of its own writes saves it from reading them again. */
export function createPresenter(options: PresenterOptions): Presenter {
  const { sources, reread, drawAfterMs = 3000 } = options;
  let hand: Hand | undefined;
  const handFor = (state: State): Hand => {
    hand ??= takeUp(options, state);
    return hand;
  };
  const shown = new RenderScheduler({
    drawAfterMs,
    reread,
    draw: (state, over) => draw(handFor(state), { state, view: viewOf(state, sources.web), over }),
    lookAgain: () => hand?.pull.forget(),
  });
  const paying = new Map<string, Promise<void>>();
  return {
    present: (state) => shown.show(state),
    flush: () => shown.flush(),
    pay: (owed, state) => {
      const underWay = paying.get(owed.id) ?? payOnce(handFor(state), sources, { owed, state });
      paying.set(owed.id, underWay);
      return underWay.finally(() => paying.delete(owed.id));
    },
    restore: (edit, state) => restore(handFor(state), edit),
  };
}

const silent: Teller = { info: () => undefined, warn: () => undefined };

/** What a presenter draws with. */
interface Hand {
  readonly place: Place;
  readonly comments: Comments;
  readonly checks: CheckRuns;
  readonly pull: Pull;
}

function takeUp({ octokit, own, where, log = silent }: PresenterOptions, state: State): Hand {
  const place: Place = { octokit, own, log, run: { ...state.run, ...where } };
  return {
    place,
    comments: new Comments(place, state.started_at),
    checks: new CheckRuns(place),
    pull: new Pull(place),
  };
}

interface Drawing {
  readonly state: State;
  readonly view: View;
  readonly over: boolean;
}

/** What gates and what asks comes first, the body last. False when somebody has drawn a later state. */
async function draw(hand: Hand, drawing: Drawing): Promise<boolean> {
  const { state, view, over } = drawing;
  await drawDecision(hand, drawing);
  const drawn = await hand.pull.draw(state, view, over);
  if (drawn === 'drawn') return true;
  hand.checks.forget();
  hand.comments.forget();
  if (drawn === 'newer') return false;
  // Somebody else's drawing lay between ours and this one, so what we remembered was not what was there.
  await drawDecision(hand, drawing);
  return true;
}

async function drawDecision({ checks, comments }: Hand, { state, view }: Drawing): Promise<void> {
  await checks.draw(state, view.checks);
  if (view.ask !== null) await comments.say({ kind: 'ask', id: view.ask.interaction }, view.ask.text);
  for (const interaction of view.settled) {
    await comments.change({ kind: 'ask', id: interaction.id }, (asked) => settledAsk(asked, interaction));
  }
}

interface Paying {
  readonly owed: Payable;
  readonly state: State;
}

async function payOnce(hand: Hand, sources: Sources, { owed, state }: Paying): Promise<void> {
  if (owed.do === 'react') return react(hand.place, owed);
  const { words, to, id } = owed;
  await hand.comments.once({ kind: 'reply', id }, async () => {
    const text = await sentence(words, state, sources);
    return to === null ? text : `${mention(to)}: ${text}`;
  });
}

/** GitHub keeps one reaction of a kind from one hand, so a repeat changes nothing. */
async function react(place: Place, { to, as }: Extract<Payable, { do: 'react' }>): Promise<void> {
  try {
    await place.octokit.rest.reactions.createForIssueComment({
      ...repositoryOf(place),
      comment_id: to.comment_id,
      content: as,
    });
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    place.log.info(`comment ${to.comment_id} of ${place.run.id} is gone, so it gets no ${as}`);
  }
}

async function restore({ pull, place }: Hand, edit: { before: string; after: string }): Promise<boolean> {
  const mended = await pull.rewrite((current) => mergeEdit({ ...edit, run: place.run.id, current }));
  if (mended) place.log.warn(`a human's edit of ${place.run.id} crossed ours; it is put back`);
  return mended;
}
