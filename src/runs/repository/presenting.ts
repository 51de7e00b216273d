import type { Problem } from '../../config/schema/config-problem.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { readTeam } from '../../github/read/roles.ts';
import { isSameTeam } from '../../steering/approval/approval-needs.ts';
import {
  type ApprovalSettings,
  type Approver,
  type Settings,
  takesClick,
} from '../../steering/shapes/settings.ts';

import type { Repository } from './repository.ts';

/** A workflow's token cannot read teams. */
export interface Presenting {
  readonly presenter: 'app' | 'action';
}

/** What the configuration asks for that cannot be where it is presented: nobody could ever approve. */
export async function presentingProblems(
  repository: Pick<Repository, 'octokit' | 'owner'>,
  settings: Teams,
  presenting: Presenting,
): Promise<readonly Problem[]> {
  const teams = await teamProblems(repository, settings, presenting);
  if (presenting.presenter === 'app' || !takesClick(settings.approval.how)) return teams;
  const expected = 'comment or review among them: a workflow hears of no click, which takes the App';
  return [{ path: 'approval.how', expected, received: '[button]', example: '' }, ...teams];
}

/**
 * What is wrong with the teams that the configuration names: nobody could approve for a team that does not
 * exist or that we may not read, and nobody would be told. Throws `GitHubFault` when GitHub does not say.
 */
export async function teamProblems(
  { octokit, owner }: Pick<Repository, 'octokit' | 'owner'>,
  settings: Teams,
  { presenter }: Presenting,
): Promise<readonly Problem[]> {
  const problems = await Promise.all(
    teamsNamed(settings).map(async ({ path, team }): Promise<readonly Problem[]> => {
      const expected =
        presenter === 'action'
          ? "permissions and users: a workflow's token cannot read teams, which takes the App"
          : await expectedOf(octokit, owner, team);
      return expected === undefined ? [] : [{ path, expected, received: `"@${team}"`, example: '' }];
    }),
  );
  return problems.flat();
}

/** The settings that name teams. */
interface Teams extends Pick<Settings, 'answers' | 'interrupts'> {
  readonly approval: Pick<ApprovalSettings, 'by' | 'how' | 'protected_paths'>;
}

interface Named {
  readonly path: string;
  readonly team: string;
}

/** Each team once, where it is named first. */
function teamsNamed({ approval, answers, interrupts }: Teams): readonly Named[] {
  const { by, protected_paths: protectors = [] } = approval;
  const named = [
    ...teamsIn(by).map((team) => ({ path: 'approval.by', team })),
    ...protectors.flatMap((entry, index) =>
      teamsIn(entry.by).map((team) => ({ path: `approval.protected_paths[${index}].by`, team })),
    ),
    ...teamsIn(answers?.by ?? []).map((team) => ({ path: 'answers.by', team })),
    ...(interrupts?.ask ?? [])
      .filter((name) => name.includes('/'))
      .map((team) => ({ path: 'interrupts.ask', team })),
  ];
  return named.filter(({ team }, at) => named.findIndex((each) => isSameTeam(each.team, team)) === at);
}

function teamsIn(by: readonly Approver[]): readonly string[] {
  return by.flatMap((approver) => ('team' in approver ? [approver.team] : []));
}

async function expectedOf(
  octokit: Repository['octokit'],
  owner: string,
  team: string,
): Promise<string | undefined> {
  const [organization = ''] = team.split('/');
  if (organization.toLowerCase() !== owner.toLowerCase())
    return `a team of ${owner}, to which this repository belongs`;
  const reading = await readTeam(octokit, team);
  if (reading === 'found') return undefined;
  if (reading === 'hidden')
    return (
      'a team that the App may read: grant it "Members: read" under "Organization permissions" in its settings, ' +
      'and accept that for the installation'
    );
  return (await isOrganization(octokit, owner))
    ? `a team of ${owner}, by its slug as in github.com/orgs/${owner}/teams: GitHub knows none of this name`
    : `permissions and users: ${owner} is not an organization, so it has no teams`;
}

async function isOrganization(octokit: Repository['octokit'], org: string): Promise<boolean> {
  try {
    await octokit.rest.orgs.get({ org });
    return true;
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return false;
    throw fault;
  }
}
