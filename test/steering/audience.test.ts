import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { missingIn, needsOf } from '../../src/steering/approval/approval-needs.ts';
import { mayOverride, waysIn } from '../../src/steering/approval/authorization.ts';
import { type Audience, audienceOf, isAsked, teamsAsked } from '../../src/steering/audience.ts';
import { type Command, exampleOf } from '../../src/steering/commands/index.ts';
import { failedRequired } from '../../src/steering/confidence/evaluation.ts';
import { decide } from '../../src/steering/decide.ts';
import { openInteraction } from '../../src/steering/iterations/interactions.ts';
import { foreseenRefusal, possibleIn } from '../../src/steering/phases/table.ts';
import type { Authority } from '../../src/steering/shapes/approval-authority.ts';
import { covers, isSame, type Person, type Role, type Source } from '../../src/steering/shapes/people.ts';
import type { Approver } from '../../src/steering/shapes/settings.ts';
import type { State } from '../../src/steering/state/state.ts';
import { momentsOf, walks } from '../page/walks.ts';
import { allPhases, runIn } from './phases.ts';
import { sequences, transitionsOf } from './random-sequences.ts';
import { ada, bob, type Choices, changes, mia, rea, robot, secret, verifierOutputs } from './samples.ts';
import { type Story, story } from './story.ts';

const zoe: Person = { login: 'zoe', id: 77, role: 'write', bot: false };
/** Has the login that somebody else had when they took part. */
const heir: Person = { ...ada, id: 78 };
const everybody = [ada, bob, mia, rea, zoe, heir];
const someRoles: readonly Role[] = ['none', 'read', 'triage', 'write', 'maintain'];

const core: Approver = { team: 'acme/core' };
const leads: Approver = { team: 'acme/leads' };
const someTeams = [[], ['acme/core'], ['Acme/Leads'], ['acme/core', 'acme/leads']];

const authority: Authority = {
  owned: [
    { owners: ['@acme/core', '@bob'], files: ['src/a.ts'], count: 1 },
    { owners: ['someone@example.org'], files: ['src/b.ts'], count: 1 },
  ],
  protected: [{ paths: ['infra/**'], by: [leads, { login: 'rea' }], files: ['infra/a'], count: 1 }],
};

const rulesTried: Readonly<Record<string, Choices>> = {
  'anybody with write access': {},
  'two of them': { approval: { required: 2 } },
  'named people and teams': { approval: { by: [{ login: 'Rea' }, core, { role: 'maintain' }], required: 2 } },
  'code owners': { approval: { by: [{ codeowners: true }, leads], required: 2 } },
  'others than who had a part in it': {
    approval: { steerer_may_approve: false, requester_may_approve: false, by: [core, { role: 'write' }] },
  },
  'a click alone': { approval: { how: ['button'] } },
  'answers of readers': { answers: { by: [{ role: 'triage' }, leads, { login: 'rea' }] } },
};

/** Stories that reach what the runs in each phase do not. */
function storiesUnder(choices: Choices): readonly Story[] {
  return [
    ...allPhases.map((phase) => runIn[phase](choices)),
    asking(choices),
    asking(choices).says(bob, '/approve'),
    asking(choices).says({ ...bob, teams: ['acme/core'] }, '/approve'),
    asking(choices)
      .says({ ...rea, teams: [] }, '/approve')
      .says(mia, '/approve'),
    runIn.awaiting_approval(choices).says(bob, '/steer more').works(),
    runIn.queued(choices).agent.isHeld([secret]),
    runIn.queued(choices).engine.takes().agent.asks(),
    runIn.queued(choices).engine.takes().agent.wonders('Which?', ['a', 'b']),
    runIn.queued(choices).agent.wonders('Why?').agent.parks(),
    runIn.awaiting_answer(choices).waits(24),
    runIn.awaiting_resolution(choices).waits(24),
    runIn.awaiting_approval(choices).says(bob, '/interrupt'),
    story({ ...choices, attempts: { max: 1 }, limits: { minutes: 60, cost_usd: 1 } })
      .starts()
      .agent.fails('budget', undefined, { cost: { usd: 2 }, budget: 'cost_usd' }),
  ];
}

/** A commit under review whose files have owners. */
function asking(choices: Choices): Story {
  const run = story(choices).starts();
  run.agent.finishes().engine.takes();
  const { head, settings } = run.state;
  const verifiers = verifierOutputs(settings);
  const found = { head, verifiers, changes, gates: [], duration_s: 5, authority };
  return run.apply({ type: 'verified', hold: run.hold, ...found });
}

/** Everybody in some roles and teams. */
function peopleFor(audience: Audience): readonly Person[] {
  const teams = teamsAsked([audience]).length === 0 ? [[]] : someTeams;
  return everybody.flatMap((person) =>
    someRoles.flatMap((role) => teams.map((each) => ({ ...person, role, teams: each }))),
  );
}

const tried = ['approve', 'allow', 'deny', 'answer', 'retry', 'abandon', 'budget', 'resume'] as const;

/** Whether a person who says everything that there is to say settles what is asked, by what `decide` makes of it. */
function canSettle(state: State, by: Person): boolean {
  const failed = failedRequired(state.shown?.verifiers ?? []);
  const approving = [[], failed].map((despite) => ({ type: 'approve', sha: state.head, despite }) as const);
  const others: readonly Command[] = tried.slice(1).map(exampleOf);
  return [...approving, ...others].some((command) => settles(state, by, command));
}

function settles(before: State, by: Person, command: Command): boolean {
  const at = new Date(Date.parse(before.updated_at) + 3_600_000).toISOString();
  const source = sourceIn(before, command, at);
  const verdict = decide(before, { type: 'said', id: 'x', at, by, command, source });
  return verdict.outcome === 'next' && isNearer(before, verdict.state);
}

function sourceIn(state: State, command: Command, written_at: string): Source {
  const isClicked = command.type === 'approve' && !waysIn(state).includes('comment');
  return isClicked
    ? { from: 'click', check_run_id: 1, head_sha: state.head, interaction: openInteraction(state)?.id ?? '' }
    : { from: 'comment', comment_id: 1, text_sha256: '', written_at };
}

/** What was asked is answered; work that somebody wants to be done again answers nothing but an interrupt. */
function isNearer(before: State, after: State): boolean {
  const open = openInteraction(before);
  const fresh = after.interactions.slice(before.interactions.length);
  const answers =
    open?.kind === 'interrupt'
      ? /^(?:approved|answered|retried|abandoned)/
      : /^(?:approved|allowed|denied|answered)/;
  const isBack =
    before.standing.phase === 'timed_out' && after.standing.phase === before.standing.before.phase;
  const hasMore = after.approvals.length > 0 && missingIn(needsOf(after)) < missingIn(needsOf(before));
  return isBack || hasMore || fresh.some(({ how }) => answers.test(how));
}

/**
 * Compares what is kept, as it would be kept, with what comes of what people say and with what they are told
 * before; of all those people, a third that is another one each time.
 */
function expectAgreement(state: State, nth: number): void {
  const kept = audienceOf(state);
  if (kept === undefined) return;
  const text = JSON.stringify(kept);
  expect(text.length).toBeLessThan(1000);
  const audience: Audience = JSON.parse(text);
  const people = peopleFor(audience).filter(
    (each, index) => index % 3 === nth % 3 && hasLostNothing(state, each),
  );
  for (const person of people) {
    const told = isAsked(audience, person);
    const expected = canSettle(state, person) ? 'yes' : 'no';
    expect([state.standing.phase, person, told]).toEqual([state.standing.phase, person, expected]);
    if (told === 'yes') expect(tried.some((name) => isOffered(state, name, person))).toBe(true);
    const { teams: _, ...unknown } = person;
    const inAll = isAsked(audience, { ...person, teams: teamsAsked([audience]) });
    const inNone = isAsked(audience, { ...person, teams: [] });
    expect(isAsked(audience, unknown)).toBe(inNone === inAll ? inAll : 'perhaps');
  }
}

/** A new approval takes the place of the former one, and with less than before it may count for less. */
function hasLostNothing({ approvals }: State, { role, teams = [], ...who }: Person): boolean {
  const before = approvals.find(({ by }) => isSame(by, who))?.by;
  return (
    before === undefined ||
    (covers(role, before.role) && (before.teams ?? []).every((each) => teams.includes(each)))
  );
}

/** As the page has it: what is refused here may be said on GitHub, and what failed may be overridden. */
function isOffered(state: State, name: (typeof tried)[number], by: Person): boolean {
  const why = foreseenRefusal(state, name, { by, at: state.updated_at })?.why;
  const isPossible = possibleIn(state).includes(name);
  return (
    isPossible && (why === undefined || why === 'other_way' || (why === 'red_verifiers' && mayOverride(by)))
  );
}

describe.each(Object.entries(rulesTried))('where approval is by %s', (_, choices) => {
  test('a run waits for exactly those who can settle what is asked, or bring it nearer', () => {
    for (const [nth, { state }] of storiesUnder(choices).entries()) expectAgreement(state, nth);
  });
});

test('a run waits for exactly those at every moment of the walks, and after random events', () => {
  for (const [nth, { events }] of Object.values(walks).entries())
    for (const { state } of momentsOf(events)) expectAgreement(state, nth);
  fc.assert(
    fc.property(sequences, fc.nat(), ([first, events], nth) => {
      for (const { after } of transitionsOf(first, events)) expectAgreement(after, nth);
    }),
    { numRuns: 10 },
  );
});

test('nobody is asked while no person is waited for, and no bot ever', () => {
  expect(audienceOf(runIn.working().state)).toBeUndefined();
  expect(audienceOf(runIn.done().state)).toBeUndefined();
  const audience = audienceOf(runIn.awaiting_approval().state);
  expect(audience).toEqual({ anyone: { from: 'write' }, people: [] });
  expect(audience && isAsked(audience, robot)).toBe('no');
});

test('what is kept names those for whom it is otherwise', () => {
  const run = asking({ approval: { by: [{ codeowners: true }], required: 1 } }).says(zoe, '/approve');
  expect(audienceOf(run.state)).toEqual({
    anyone: { teams: { 'acme/core': 'write', 'acme/leads': 'read' } },
    people: [
      { login: 'zoe', id: 77, teams: { 'acme/core': 'write', 'acme/leads': 'write' } },
      { login: 'bob', id: 0, from: 'write', teams: { 'acme/leads': 'read' } },
      { login: 'rea', id: 0, from: 'read' },
    ],
  });
});

test('a team that GitHub does not name leaves it open whether its members are asked', () => {
  const audience = audienceOf(asking({ approval: { by: [leads] } }).state);
  const asked = (teams: Partial<Person>) => audience && isAsked(audience, { ...zoe, ...teams });
  expect(asked({ teams: [], unread_teams: ['ACME/leads'] })).toBe('perhaps');
  expect(asked({ teams: [], unread_teams: ['acme/others'] })).toBe('no');
  expect(asked({ teams: ['Acme/Leads'] })).toBe('yes');
  expect(teamsAsked(audience === undefined ? [] : [audience, audience])).toEqual(['acme/leads']);
});
