import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RunIndex } from '../../src/doors/lists/run-index.ts';
import { inboxView } from '../../src/page/inbox/inbox-view.ts';
import { type GroupId, groupOf } from '../../src/page/inbox/load-inbox.ts';
import { runView } from '../../src/page/views/run-view.ts';
import type { Repository } from '../../src/repository/repository.ts';
import { updateDue } from '../../src/steering/branch/undo-and-update.ts';
import { decide } from '../../src/steering/decide.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import { isInProgress, isOver } from '../../src/steering/phases/table.ts';
import { severities } from '../../src/steering/shapes/gate-rules.ts';
import { isAwaitingChecks, type PauseAsked, shownPhase } from '../../src/steering/shapes/standing.ts';
import type { State } from '../../src/steering/state/state.ts';
import { decisionCheck } from '../../src/words/index.ts';
import { anyFirst } from '../steering/random-beginning.ts';
import { eventOf, randomEvent } from '../steering/random-events.ts';
import { ada, bob, mia, rea } from '../steering/samples.ts';
import { commandIn } from '../steering/story-words.ts';
import { modelOf, speakerOf, usualView } from './samples.ts';
import { type Moment, momentAfter, momentsOf, walks } from './walks.ts';

/** What is true of the page of a run at every moment, whatever happened before. */
const truths: Readonly<Record<string, (moment: Moment, page: string) => void>> = {
  'what is of another commit or iteration than the run is about says so': (moment, page) => {
    for (const id of ['verifiers', 'confidence', 'gates']) {
      const part = sectionOf(page, id);
      if (/Not assessed|has run yet|Not yet/.test(part)) continue;
      expect([id, isMarked(page, part)]).toEqual([id, isSuperseded(moment)]);
    }
    const report = sectionOf(page, 'report');
    const isNewest = moment.state.head === newestWork(moment) && !isAttemptDue(moment.state);
    if (report !== '' && isNewest) expect(isMarked(page, report)).toBe(false);
  },
  'what is superseded names a commit that was verified, and its iteration': (
    { state, events, evaluatedIn },
    page,
  ) => {
    const [, iteration, commit] = /This is from iteration (\d+), commit (\w+)/.exec(page) ?? [];
    if (commit === undefined) return;
    if (state.shown !== null) expect(Number(iteration)).toBe(evaluatedIn);
    const verified = events.flatMap((event) => (event.type === 'verified' ? [event] : []));
    const iterations = [
      state.iterations,
      ...verified.map(({ hold }) => [{ iteration_number: hold.iteration }]),
    ];
    expect(verified.map(({ head }) => head.slice(0, 7))).toContain(commit);
    expect(iterations.flat().map((each) => each.iteration_number)).toContain(Number(iteration));
  },
  'only who is asked has to decide': ({ state: { standing } }, page) => {
    const isAsked = standing.phase === 'awaiting_approval' || standing.phase === 'awaiting_resolution';
    if (!isAsked) expect(textOf(page)).not.toContain('has to decide');
    expect(headline(page).includes('Waiting for approval')).toBe(standing.phase === 'awaiting_approval');
  },
  'only who works is at work': ({ state }, page) => {
    const { standing } = state;
    const isMerging = updateDue(state) !== undefined;
    const isLeft = isAwaitingChecks(standing) || ('undoes' in standing && standing.undoes !== undefined);
    expect(headline(page).includes('are checking')).toBe(
      standing.phase === 'verifying' && !isLeft && !isMerging,
    );
    const isAgentAtWork =
      standing.phase === 'working' && standing.held === undefined && shownPhase(state) === 'working';
    expect(headline(page).includes('is at work')).toBe(isAgentAtWork && !isMerging);
    if (!isInProgress(standing.phase)) expect(page).not.toMatch(/in progress;|is being verified/);
  },
  'there is a way on exactly after an approval': ({ state: { standing } }, page) => {
    expect(page.includes('id="way-on"')).toBe(standing.phase === 'approved');
    const isFinished = standing.phase === 'approved' && standing.finish === 'finished';
    expect(page.includes('#partial-pull-merging')).toBe(isFinished);
  },
  'the overview lists the run where it stands, with a score that is of it': (moment) => {
    const { state } = moment;
    const list = listed(moment);
    const group = /<section class="card" id="([^"]+)"[^>]*>(?:(?!<\/section>)[\s\S])*class="row"/.exec(
      list,
    )?.[1];
    expect(group).toBe(groupFor(state));
    if (state.shown !== null) expect(list.includes('before that')).toBe(isSuperseded(moment));
  },
  'the risk is that of the gates, whatever the confidence': ({ state }, page) => {
    if (state.shown === null) return;
    const worst = severities
      .toReversed()
      .find((each) => state.shown?.gates.some((hit) => hit.severity === each));
    expect(textOf(sectionOf(page, 'gates'))).toContain(`Risk ${worst ?? 'low'}`);
    const { summary } = decisionCheck(state, 'https://github.com/acme/service');
    if (summary.includes('**Confidence**')) expect(summary).toContain(`**Risk** ${worst ?? 'low'}`);
  },
  'only a run that has ended misses nothing': ({ state }, page) => {
    const missing = textOf(sectionOf(page, 'policy'));
    const isEnded = ['done', 'rejected', 'cancelled', 'abandoned'].includes(state.standing.phase);
    expect(missing.includes('Nothing is missing')).toBe(isEnded);
    const waits = state.standing.phase === 'awaiting_approval' && state.standing.proceeds === undefined;
    if (waits) expect(missing).toContain('nothing proceeds automatically because');
  },
  'what the agent says of its tool calls is marked as its word': ({ state }, page) => {
    const said = [page, decisionCheck(state, 'https://github.com/acme/service').text].join('\n');
    expect(said).not.toMatch(/tool calls succeeded(?:, not counting \d+ denied)?(?! \(the agent|,)/);
  },
  'the check says of which commit its confidence is': (moment) => {
    const { summary } = decisionCheck(moment.state, 'https://github.com/acme/service');
    if (!summary.includes('**Confidence**')) return;
    expect(summary.includes('This is from iteration')).toBe(isSuperseded(moment));
  },
};

describe.each(Object.entries(walks))('%s', (_name, { events }) => {
  test('its page tells the truth at every moment', () => {
    for (const moment of momentsOf(events)) expectTruths(moment);
  });

  test('a button is there exactly if its command would be accepted', () => {
    for (const moment of momentsOf(events)) {
      for (const by of [ada, bob, mia, rea]) {
        const page = draw(moment, by);
        for (const [, name = '', sha = ''] of page.matchAll(oneClick)) {
          const verdict = say(moment.state, { by, body: `/${name} ${sha}` });
          expect([name, by.login, verdict]).toEqual([name, by.login, 'accepted']);
        }
        if (page.includes('value="approve"')) continue;
        const body = `/approve ${moment.state.head}`;
        expect([by.login, say(moment.state, { by, body })]).toEqual([by.login, 'refused']);
      }
    }
  });
});

test('the page tells the truth in any sequence of events', () => {
  const sequences = fc.tuple(anyFirst, fc.array(randomEvent, { minLength: 1, maxLength: 40, size: 'max' }));
  fc.assert(
    fc.property(sequences, ([first, random]) => {
      let moment = momentAfter(undefined, first);
      if (moment === undefined) return;
      for (const [index, each] of random.entries())
        moment = momentAfter(moment, eventOf(each, moment.state, index + 1)) ?? moment;
      expectTruths(moment);
    }),
    { numRuns: 100 },
  );
});

/** To draw a page takes far longer than to read it, so all truths read the same one. */
function expectTruths(moment: Moment): void {
  const page = draw(moment);
  for (const [truth, holds] of Object.entries(truths))
    try {
      holds(moment, page);
    } catch (cause) {
      throw new Error(`not true: ${truth}`, { cause });
    }
}

/** Newer work is due, under way or held, or the head was evaluated in an earlier iteration, or not at all. */
function isSuperseded({ state, evaluatedIn }: Moment): boolean {
  const { standing } = state;
  const isHeld =
    isOfAgent(standing.phase) ||
    (standing.phase === 'timed_out' && isOfAgent(standing.before.phase)) ||
    (standing.phase === 'paused' && isDueAgain(standing.asked?.stood)) ||
    (standing.phase === 'failed' && standing.held !== undefined);
  const isOlder = evaluatedIn < state.iteration || state.shown === null;
  return isInProgress(standing.phase) || isHeld || isOlder;
}

/** People are asked about work that is not the head. */
function isOfAgent(phase: State['standing']['phase']): boolean {
  return phase === 'awaiting_permission' || phase === 'awaiting_answer' || phase === 'awaiting_stage';
}

/** A pause changes nothing about what the run is about. */
function isDueAgain(stood: PauseAsked['stood'] | undefined): boolean {
  if (stood === undefined || 'approved' in stood) return false;
  return 'due' in stood || isOfAgent(stood.asking.phase);
}

function listed({ state }: Moment): string {
  const index = new RunIndex();
  const remote = { url: 'https://github.com/acme/service.git' };
  index.note({ id: 1, owner: 'acme', name: 'service', remote } as Repository, state); // what it reads of it
  const listOf = <T>(runs: readonly T[]) => {
    return { runs, next: null, total: null, access_as_of: state.updated_at, blocked_by_sso: [] };
  };
  const group = (id: GroupId) => listOf(index.runs().filter((run) => groupOf(run) === id));
  const inbox = {
    ...{
      query: { for: 'anyone' as const },
      waiting: listOf(index.waiting()),
      as_of: null,
      isFull: false,
      seesAny: true,
    },
    others: {
      stopped: group('stopped'),
      approved: group('approved'),
      'in-progress': group('in-progress'),
      blocked: group('blocked'),
      ended: group('ended'),
    },
    viewerIn: () => ({ ...mia, bot: false }),
  };
  return inboxView({ inbox, issues: [], wrong: [] }).text;
}

function groupFor(state: State): string {
  const { standing } = state;
  if (isOver(standing.phase)) return 'ended';
  if (standing.phase === 'approved') return 'approved';
  const isHeld = standing.phase === 'working' && shownPhase(state) !== 'working';
  if (standing.phase === 'blocked') return 'blocked';
  if (openInteraction(state) !== null) return 'waiting';
  return isInProgress(standing.phase) && !isHeld ? 'in-progress' : 'stopped';
}

const oneClick =
  /id="button-\w+">\s*<input type="hidden" name="command" value="(\w+)">(?:<input type="hidden" name="sha" value="([^"]*)">)?/g;

interface Saying {
  readonly by: typeof ada;
  readonly body: string;
}

/** What becomes of a comment a day later. */
function say(state: State, { by, body }: Saying): 'accepted' | 'refused' {
  const at = '2025-03-08T12:00:00Z';
  const command = commandIn(body.trim());
  if (command === undefined) throw new Error(`${body} is no command`);
  const source = { from: 'comment', comment_id: 99, text_sha256: '', written_at: at } as const;
  const verdict = decide(state, { type: 'said', id: 'said:99', at, command, by, source });
  return verdict.outcome === 'next' && verdict.refuses ? 'refused' : 'accepted';
}

function draw(moment: Moment, viewer?: typeof ada): string {
  const speaker = speakerOf({ at: '2025-03-08T12:00:00Z', ...(viewer && { viewer }) });
  const run = modelOf(moment);
  return runView({ run, speaker, view: usualView, input: null, news: null }).text;
}

function headline(page: string): string {
  return textOf(/<p id="phase"[\s\S]*?<\/p>/.exec(page)?.[0] ?? '');
}

function sectionOf(page: string, id: string): string {
  return new RegExp(`<section[^>]* id="${id}"[\\s\\S]*?</section>`).exec(page)?.[0] ?? '';
}

/** The mark is in the section itself, or in the card around it, which ends with the list of iterations. */
function isMarked(page: string, part: string): boolean {
  const [, earlier = ''] =
    /<section[^>]* id="earlier"([\s\S]*?)<section[^>]* id="iterations"/.exec(page) ?? [];
  return (
    part.includes('class="superseded"') || (earlier.includes(part) && earlier.includes('class="superseded"'))
  );
}

function newestWork({ events }: Moment): string | undefined {
  return events.findLast((event) => event.type === 'work_finished')?.work.head;
}

function isAttemptDue({ standing, attempts_used }: State): boolean {
  const isVerifying =
    standing.phase === 'verifying' || (standing.phase === 'queued' && standing.work.startsWith('verify'));
  return attempts_used === 0 || !isVerifying;
}

function textOf(page: string): string {
  return page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}
