import type { ApprovalSettings } from '../steering/shapes/settings.ts';
import type { Configuration } from './bases.ts';
import type { Problem } from './schema/problem.ts';

/**
 * Teams that may approve or are asked, but are of another organization than the repository: GitHub gives a
 * team no rights elsewhere. None if the owner is unknown.
 */
export function foreignTeams(
  { settings, bases }: Pick<Configuration, 'settings' | 'bases'>,
  owner: string | undefined,
): readonly Problem[] {
  if (owner === undefined) return [];
  const ofBases = bases.map(({ approval }, index) => teamsIn(approval, `bases[${index}].approval`));
  const answering = teamsIn({ by: settings.answers?.by ?? [] }, 'answers');
  const asked = (settings.interrupts?.ask ?? []).flatMap((team, index) =>
    team.includes('/') ? [{ path: `interrupts.ask[${index}]`, team }] : [],
  );
  return [...teamsIn(settings.approval, 'approval'), ...answering, ...asked, ...ofBases.flat()]
    .filter(({ team }) => team.split('/')[0]?.toLowerCase() !== owner.toLowerCase())
    .map(({ path, team }) => ({
      path,
      expected: `a team of ${owner}, which owns this repository by its remote in Git`,
      received: `"@${team}"`,
      example: '',
    }));
}

interface Named {
  readonly path: string;
  readonly team: string;
}

function teamsIn(
  { by = [], protected_paths: protectors = [] }: Partial<ApprovalSettings>,
  path: string,
): readonly Named[] {
  const lists = [
    { path: `${path}.by`, by },
    ...protectors.map((entry, index) => ({ path: `${path}.protected_paths[${index}].by`, by: entry.by })),
  ];
  return lists.flatMap((list) =>
    list.by.flatMap((one, index) =>
      'team' in one ? [{ path: `${list.path}[${index}]`, team: one.team }] : [],
    ),
  );
}

/** The owner in the address of a remote: `https://github.com/acme/api.git`, `git@github.com:acme/api`. */
export function ownerIn(address: string): string | undefined {
  const [, owner] =
    /^(?:(?:https?|ssh|git):\/\/[^/]+\/|[\w.-]+@[\w.-]+:)([\w-]+)\/[^/]+\/?$/.exec(address) ?? [];
  return owner;
}
