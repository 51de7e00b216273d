import {
  answeringTeams,
  approvalRules,
  bringsNearer,
  everyoneIn,
  isSameTeam,
  teamsIn,
} from './approval/approval-needs.ts';
import { mayOverride, waysIn } from './approval/authorization.ts';
import type { ActionCommand } from './commands/index.ts';
import { goesOnWithMore } from './handlers/resolutions.ts';
import { openInteraction } from './iterations/interactions.ts';
import { foreseenRefusal, isPossible } from './phases/table.ts';
import { type Account, covers, isSame, type Person, type Role, roles } from './shapes/people.ts';
import type { InteractionKind } from './shapes/standing.ts';
import type { State } from './state/state.ts';

/**
 * Whom a run waits for: who can settle what is asked, or bring it nearer. Plain data of mostly less than
 * 1 kB, so that it can be kept of every run whose state is not; `audienceOf` reads it off the rules.
 */
export interface Audience {
  /** What holds of those of whom the run knows nothing. */
  readonly anyone: Admission;
  /**
   * Those of whom something else holds: the rules name them (their id is then 0), they worked on it, or they
   * have approved already.
   */
  readonly people: readonly (Account & Admission)[];
}

/** With which role somebody is asked. */
export interface Admission {
  /** The least role; absent if none suffices. */
  readonly from?: Role;
  /** By team, such as `acme/core`, where less suffices for its members: the least role. */
  readonly teams?: Readonly<Record<string, Role>>;
}

/** `perhaps`: they are if they are in a team of which that is not known. */
type IsAsked = 'yes' | 'perhaps' | 'no';

/**
 * Whether a run waits for somebody. Absent `teams` are those that nobody has asked about; of those in
 * `unread_teams`, too, it is not known whether they are in them.
 */
export function isAsked({ anyone, people }: Audience, person: Person): IsAsked {
  if (person.bot) return 'no';
  const { from, teams = {} } = people.find((each) => isSame(each, person)) ?? anyone;
  if (from !== undefined && covers(person.role, from)) return 'yes';
  const helping = Object.keys(teams).filter((team) => covers(person.role, teams[team] ?? 'admin'));
  const among = (some: readonly string[]) =>
    some.some((each) => helping.some((team) => isSameTeam(team, each)));
  if (among(person.teams ?? [])) return 'yes';
  return among(person.teams === undefined ? helping : (person.unread_teams ?? [])) ? 'perhaps' : 'no';
}

/** The teams whose members it matters to know, each once. */
export function teamsAsked(audiences: Iterable<Audience>): readonly string[] {
  const teams = new Map<string, string>();
  for (const { anyone, people } of audiences) {
    for (const admission of [anyone, ...people])
      for (const team of Object.keys(admission.teams ?? {})) teams.set(team.toLowerCase(), team);
  }
  return [...teams.values()];
}

/**
 * Whom a run waits for; undefined unless it waits for people. The rules are not written down again for that:
 * of everybody for whom they may differ it is foreseen what they would be told. Only somebody who has lost a
 * role or a team since they approved, and is in two teams whose members are asked, may count as not asked.
 */
export function audienceOf(state: State): Audience | undefined {
  const open = openInteraction(state);
  if (open === null) return undefined;
  const settling = settlingIn(state, open.kind);
  const teams = [...teamsIn(approvalRules(state)), ...answeringTeams(state)];
  const admissionOf = (who: Account) =>
    admission(teams, { ...who, bot: false }, (person) =>
      settling.some((name) => isSettledBy(state, name, person)),
    );
  const anyone = admissionOf(stranger);
  const named = namedIn(state).map((login) => ({ login, id: 0, ...admissionOf({ ...stranger, login }) }));
  const different = named.filter((each) => !isAlike(each, anyone));
  const known = knownIn(state).map((who) => ({ ...who, ...admissionOf(who) }));
  const others = known.filter((one) => !isAlike(one, different.find((each) => isSame(each, one)) ?? anyone));
  // Whoever is known by id comes first: somebody else may have their login by now.
  return { anyone, people: [...others, ...different] };
}

/** Who is in nothing that is recorded: 0 would be an id that is not known, and -1 is nobody's. */
const stranger: Account = { login: '', id: -1 };

/** The commands that answer what is asked; others only put something else in its place, as a steer does. */
const answering: { readonly [K in InteractionKind]: readonly ActionCommand[] } = {
  approval: ['approve'],
  stage: ['approve'],
  permission: ['allow', 'deny'],
  question: [],
  interrupt: ['retry', 'spawn', 'abandon', 'approve'],
};

/**
 * Those that can be said now; an agent may also have a question, and a run that timed out has to be resumed.
 */
function settlingIn(state: State, kind: InteractionKind): readonly ActionCommand[] {
  const raising = goesOnWithMore(state) ? (['budget'] as const) : [];
  const all: readonly ActionCommand[] = [...answering[kind], 'answer', 'resume', ...raising];
  return all.filter((name) => isPossible(state, name));
}

/** Whether a command by this person would be accepted, and an approval also bring the run nearer its end. */
function isSettledBy(state: State, name: ActionCommand, by: Person): boolean {
  const refusal = foreseenRefusal(state, name, { by, at: state.updated_at, way: waysIn(state)[0] });
  // Whoever may override what failed is asked to look at it.
  if (refusal !== undefined && !(refusal.why === 'red_verifiers' && mayOverride(by))) return false;
  return name !== 'approve' || state.standing.phase === 'awaiting_stage' || bringsNearer(state, by);
}

/** What holds of somebody, by trying every role, alone and with each team. */
function admission(
  teams: readonly string[],
  who: Omit<Person, 'role'>,
  may: (person: Person) => boolean,
): Admission {
  // Most of those who are left out are so in every role, which one question tells.
  if (!may({ ...who, role: 'admin', teams })) return {};
  const least = (some: readonly string[]) => roles.find((role) => may({ ...who, role, teams: some }));
  const from = least([]);
  const helping = teams.flatMap((team) => {
    const role = least([team]);
    const isLess = role !== undefined && (from === undefined || !covers(role, from));
    return isLess ? [[team, role] as const] : [];
  });
  return {
    ...(from !== undefined && { from }),
    ...(helping.length > 0 && { teams: Object.fromEntries(helping) }),
  };
}

function isAlike(one: Admission, other: Admission): boolean {
  return one.from === other.from && JSON.stringify(one.teams) === JSON.stringify(other.teams);
}

/** The logins that the rules name, each once. */
function namedIn(state: State): readonly string[] {
  const approvers = [...everyoneIn(approvalRules(state)), ...(state.settings.answers?.by ?? [])];
  const logins = approvers.flatMap((approver) => ('login' in approver ? [approver.login] : []));
  return [...new Map(logins.map((login) => [login.toLowerCase(), login])).values()];
}

/** Everybody who has a part in the work, or has approved it, each once. */
function knownIn({ requested_by, contributors = [], iterations, approvals }: State): readonly Account[] {
  const steers = iterations.flatMap((iteration) => iteration.steers);
  const all: readonly Account[] = [
    requested_by,
    ...contributors,
    ...steers.map(({ author: login, author_id: id = 0 }) => ({ login, id })),
    ...approvals.map(({ by }) => by),
  ];
  const different = all.filter((person, at) => all.findIndex((each) => isSame(each, person)) === at);
  return different.map(({ login, id }) => ({ login, id }));
}
