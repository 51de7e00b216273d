import type { GateSettings } from '../../steering/settings.ts';
import { isOnSafeCluster } from '../own/safe-clusters.ts';
import type { Command } from '../shell/command.ts';
import { downloaded, readable } from '../shell/marks.ts';
import { fileContent } from '../shell/scope.ts';
import { scriptsOf } from '../wrappers/scripts.ts';
import { dropsData } from './databases.ts';
import { overwrites } from './files.ts';
import { rulesByWords } from './match.ts';
import { rulesByFiles } from './named-files.ts';
import { loosensPermissions, makesExecutable } from './permissions.ts';
import { fetchesPackage } from './remote-packages.ts';
import type { Rule } from './rule.ts';
import { rulesOfScript } from './scripts.ts';
import { printsSecretVariable } from './variables.ts';

/** What is known besides a command. */
interface Known {
  readonly gates?: GateSettings;
  isAgentSetting?(path: string): boolean;
}

/** The rules that one command hits by itself; on a safe cluster, nothing is production. */
export function rulesOf(command: Command, { gates, isAgentSetting }: Known): readonly Rule[] {
  const rules = allRulesOf(command, isAgentSetting);
  if (!isOnSafeCluster(command, gates?.safe_clusters ?? [])) return rules;
  return rules.filter((rule) => rule !== 'changes-production');
}

function allRulesOf(command: Command, isAgentSetting: Known['isAgentSetting']): readonly Rule[] {
  return [
    ...rulesByWords(command),
    ...rulesByFiles(command, isAgentSetting),
    ...scriptsOf(command).flatMap(rulesOfScript),
    ...(overwrites(command) ? (['deletes-files'] as const) : []),
    ...(dropsData(command) ? (['drops-data'] as const) : []),
    ...(loosensPermissions(command) ? (['loosens-permissions'] as const) : []),
    ...(printsSecretVariable(command) ? (['touches-secrets'] as const) : []),
    ...(preparesDownload(command) ? (['runs-remote-code'] as const) : []),
  ];
}

/** `chmod +x` on what was downloaded, `java -jar`, `deno run` and `npx` or `pip install` of it. */
function preparesDownload(command: Command): boolean {
  const { args, files, program } = command;
  if (program === 'deno' || program === 'bun') {
    return args[0] === 'run' && args.some((argument) => /^https?:/.test(argument));
  }
  if (fetchesPackage(command)) return true;
  if (!makesExecutable(command) && program !== 'java') return false;
  return args.some((argument) => fileContent({ files }, argument)?.includes(downloaded));
}

/** The command as a person would read it. */
export function textOf({ path, args, redirects }: Command): string {
  const files = redirects.map(
    ({ path: file, access }) => `${{ read: '<', replace: '>', append: '>>' }[access]} ${file}`,
  );
  return readable([path, ...args, ...files].filter((word) => word !== '').join(' '));
}
