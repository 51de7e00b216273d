import type { ModelKeys } from '../../config/agent-keys.ts';
import { plainCheck } from '../../config/check-names.ts';
import { type Operator, readConfig } from '../../config/read.ts';
import type { Mirror } from '../../git/mirror.ts';
import { readBranchRules } from '../../github/read/branch-rules.ts';
import type { ProposedSetup } from '../../github/words/setup.ts';
import { configurationText } from '../../onboarding/configuration-text.ts';
import { look } from '../../onboarding/look.ts';
import { type ProfileName, profileNames, profiles, shortestChoice } from '../../profiles/index.ts';
import type { Services, WantedSetup } from '../services.ts';
import { filesAt } from './mirror-files.ts';

type SetupServices = Pick<Services, 'operator' | 'modelKeys'>;

/** A configuration for the files of a commit; undefined if we know of none that the operator would allow. */
export async function proposedSetup(
  { repository, where }: WantedSetup,
  { mirror, base }: { readonly mirror: Mirror; readonly base: string },
  services: SetupServices,
): Promise<ProposedSetup | undefined> {
  const agent = agentFor(services);
  if (agent === undefined) return undefined;
  const findings = await look(filesAt(mirror, base));
  const text = configurationText({
    findings,
    agent: agent === 'default' ? undefined : shortestChoice(agent),
  });
  if (readConfig(text, where, services.operator).outcome === 'misconfigured') return undefined;
  const { checks } = await readBranchRules(repository.octokit, repository, where.ref);
  return {
    ...{ text, path: where.path, branch: where.ref },
    ...{ found: findings.found, setup: findings.setup, verifiers: findings.verifiers, notes: findings.notes },
    agent: agent === 'default' ? undefined : profiles[agent].title,
    isGated: checks.some(({ name }) => name === plainCheck),
  };
}

/** That of the operator, or the first that is allowed and has a key; undefined if none is allowed. */
function agentFor({ operator, modelKeys }: SetupServices): ProfileName | 'default' | undefined {
  const { defaults, bounds } = operator satisfies Operator;
  if (defaults?.agent !== undefined) return 'default';
  const allowed = profileNames.filter((name) => bounds?.agents?.includes(name) ?? true);
  return allowed.find((name) => hasKey(name, modelKeys)) ?? allowed[0];
}

function hasKey(name: ProfileName, known: ModelKeys | undefined): boolean {
  if (known === undefined || known.hasOthers) return true;
  return profiles[name].keys.some((key) => known.names.includes(key));
}
