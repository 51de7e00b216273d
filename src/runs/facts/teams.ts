import { membershipsOf } from '../../github/read/roles.ts';
import { answeringTeams, rulesOf, teamsIn } from '../../steering/approval/approval-needs.ts';
import { followsApproval } from '../../steering/approval/authorization.ts';
import type { EventOf } from '../../steering/state/event.ts';
import type { Asking, SaidFacts } from './asking.ts';

/**
 * The teams of whoever says something that people in teams decide, as GitHub says now. Throws if it does not
 * say, as for a role. A workflow's token cannot read teams, so there nobody is in one.
 */
export async function findTeams(
  { command, by }: EventOf<'said'>,
  { run, services: { presenter } }: Asking,
): Promise<SaidFacts> {
  if (by.bot || presenter === 'action') return {};
  const name = command.type === 'misspoken' ? command.name : command.type;
  if (name !== 'answer' && !followsApproval(name)) return {};
  const state = await run.state();
  const asked =
    state === undefined ? [] : name === 'answer' ? answeringTeams(state) : teamsIn(rulesOf(state));
  if (asked.length === 0) return {};
  const { teams, unread_teams } = await membershipsOf(run.repository.octokit, by.login, asked);
  return { by: { ...by, teams, ...(unread_teams.length > 0 && { unread_teams }) } };
}
