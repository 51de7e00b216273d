import { type Account, isSame, type Steer } from '../shapes/people.ts';
import type { AgentChoice } from '../shapes/settings.ts';
import type { State } from '../state/state.ts';

/** Adds people to those who shaped the work, each of them once. */
export function withContributors(
  { contributors = [] }: Pick<State, 'contributors'>,
  people: readonly Account[],
): Pick<State, 'contributors'> {
  const all = [...contributors];
  for (const { login, id } of people) {
    if (!all.some((known) => isSame(known, { login, id }))) all.push({ login, id });
  }
  return all.length === 0 ? {} : { contributors: all };
}

/** An agent may hear what we could not record any more, so whoever said it has perhaps shaped the work. */
export function withPerhapsHeard<S extends State>(state: S, steers: readonly Steer[]): S {
  const authors = steers.map(({ author: login, author_id: id = 0 }) => ({ login, id }));
  return { ...state, ...withContributors(state, authors) };
}

const maxPushes = 20;

/** What others pushed, with one more. */
export function withPush(
  { pushes = [], iteration }: State,
  push: { readonly head: string; readonly by: string },
): NonNullable<State['pushes']> {
  return [...pushes, { ...push, iteration }].slice(-maxPushes);
}

/** Whether somebody else than us has moved the branch, be it to merge the base. */
export function haveOthersPushed({
  pushes = [],
  others_pushed,
}: Pick<State, 'pushes' | 'others_pushed'>): boolean {
  return pushes.length > 0 || others_pushed === true;
}

const maxReports = 20;

/** What agents said of their commits, with what is known of the head. */
export function withReport({ reports = [], report, head }: State): Pick<State, 'reports'> {
  if (report === null) return { reports };
  return { reports: [...reports.filter((each) => each.head !== head), { head, report }].slice(-maxReports) };
}

/** What an agent said of its commit holds again when that commit becomes the head again. */
export function reportAt(state: State, head: string): Pick<State, 'report' | 'reports'> {
  const { reports = [] } = withReport(state);
  if (reports.length === 0) return { report: null };
  return { reports, report: reports.find((each) => each.head === head)?.report ?? null };
}

/**
 * Which agent it is, for what is known of its former work: the profile, and the program where the
 * configuration names one. A model or an effort does not make another agent.
 */
export function agentName({ use, ...choice }: AgentChoice): string {
  if ('script' in choice || choice.command === undefined) return use;
  return `${use}: ${[...JSON.stringify(choice.command)].slice(0, maxCommand).join('')}`;
}

const maxCommand = 200;

/** The agents that have worked, with the one that begins an attempt now. */
export function withAgent({ agents = [], settings }: State): Pick<State, 'agents'> {
  const name = agentName(settings.agent);
  return { agents: agents.includes(name) ? agents : [...agents, name].slice(-maxAgents) };
}

const maxAgents = 20;

/**
 * Whether GitHub has to sign what this run puts on its branch: as configured, or because a rule demands it.
 */
export function hasSigned({ settings, signs }: State): boolean {
  const { sign } = settings.commits ?? {};
  return sign === undefined ? signs === true : sign === 'github';
}
