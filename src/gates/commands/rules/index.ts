import type { CallRule } from '../../../steering/gate-rules.ts';
import type { Command } from '../command.ts';
import type { Known } from '../command-rule.ts';
import { changesAutomation } from './changes-automation.ts';
import { changesProduction, isOnSafeCluster } from './changes-production.ts';
import { deletesFiles } from './deletes-files.ts';
import { dropsData } from './drops-data.ts';
import { installsSystemPackages } from './installs-system-packages.ts';
import { loosensPermissions } from './loosens-permissions.ts';
import { rewritesHistory } from './rewrites-history.ts';
import { runsRemoteCode } from './runs-remote-code.ts';
import { touchesSecrets } from './touches-secrets.ts';

/** All rules about commands, in the order in which hits are told. */
export const commandRules = [
  ...[deletesFiles, dropsData, changesProduction, installsSystemPackages, touchesSecrets],
  ...[rewritesHistory, loosensPermissions, changesAutomation, runsRemoteCode],
];

/** The rules that one command hits by itself; on a safe cluster, nothing is production. */
export function rulesOf(command: Command, known: Known): readonly CallRule[] {
  const hit = commandRules.filter(({ matches }) => matches(command, known)).map(({ rule }) => rule);
  return isOnSafeCluster(command, known.gates?.safe_clusters ?? [])
    ? hit.filter((rule) => rule !== 'changes-production')
    : hit;
}
