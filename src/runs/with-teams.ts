import { membershipsOf } from '../github/read/teams.ts';
import { answeringTeams, rulesOf, teamsIn } from '../steering/approval/approval-needs.ts';
import type { Event } from '../steering/event.ts';
import { followsApproval } from '../steering/policy.ts';
import type { State } from '../steering/state.ts';
import type { Presenting } from './presenting.ts';
import type { Repository } from './repository.ts';
import { type Recording, upToDate } from './up-to-date.ts';

/** A run whose ledger may not have been read yet. */
interface Known {
  readonly repository: Repository;
  readonly newest: State | undefined;
  readLedger(): Promise<{ readonly state: State } | undefined>;
}

/**
 * The event with the teams of whoever says something that people in teams decide, as GitHub says now.
 * Throws if it does not say, as for a role. A workflow's token cannot read teams, so there nobody is in
 * one.
 */
export async function withTeams<E extends Event>(
  event: E,
  run: Known,
  { presenter, others }: Presenting & Recording,
): Promise<E> {
  if (event.type !== 'said' || event.by.bot || presenter === 'action') return event;
  const { command, by } = event;
  const name = command.type === 'misspoken' ? command.name : command.type;
  if (name !== 'answer' && !followsApproval(name)) return event;
  const state = await upToDate(run, { others });
  const asked =
    state === undefined ? [] : name === 'answer' ? answeringTeams(state) : teamsIn(rulesOf(state));
  if (asked.length === 0) return event;
  const { teams, unread_teams } = await membershipsOf(run.repository.octokit, by.login, asked);
  const told = { ...by, teams, ...(unread_teams.length > 0 && { unread_teams }) };
  return { ...event, by: told };
}
