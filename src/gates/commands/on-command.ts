import type { GateHit } from '../../steering/attempt-result.ts';
import { shortened } from '../../text/cut.ts';
import type { Command } from '../shell/command.ts';
import { downloaded, readable, withoutMarks } from '../shell/marks.ts';
import { fileContent } from '../shell/scope.ts';
import { follow } from '../shell/walk.ts';
import { scriptsOf } from '../wrappers/scripts.ts';
import { dropsData } from './databases.ts';
import { overwrites } from './files.ts';
import { rulesByWords } from './match.ts';
import { rulesByFiles } from './named-files.ts';
import { loosensPermissions, makesExecutable } from './permissions.ts';
import { fetchesPackage } from './remote-packages.ts';
import { type Rule, severities } from './rule.ts';
import { rulesOfScript } from './scripts.ts';
import { printsSecretVariable } from './variables.ts';

/**
 * The rules that a command line for the shell hits, each with the first command that hits it. Only the line
 * is read: what is in a file or on the network is not known. Text that is only an argument hits nothing. Of a
 * line of which only the beginning is known nobody can say what it does.
 */
export function gatesOnCommand(line: string, { isWhole = true } = {}): readonly GateHit[] {
  const found = new Map<Rule, string>();
  const add = (rule: Rule, evidence: string) => {
    if (!found.has(rule)) found.set(rule, shortened(evidence.trim(), maxEvidence));
  };
  follow(withoutMarks(line.replaceAll('\0', '')), {
    command: (command) => {
      for (const rule of rulesOf(command)) add(rule, textOf(command));
    },
    runsDownload: (text) => add('runs-remote-code', `what was downloaded runs: ${text}`),
    unclear: (reason, text) => add('unparsable', `${reason}: ${text}`),
  });
  if (!isWhole) add('unparsable', `too long to be kept: ${line}`);
  return [...found].map(([rule, evidence]) => ({ rule, severity: severities[rule], evidence }));
}

const maxEvidence = 200;

function rulesOf(command: Command): readonly Rule[] {
  return [
    ...rulesByWords(command),
    ...rulesByFiles(command),
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

function textOf({ path, args, redirects }: Command): string {
  const files = redirects.map(
    ({ path: file, access }) => `${{ read: '<', replace: '>', append: '>>' }[access]} ${file}`,
  );
  return readable([path, ...args, ...files].filter((word) => word !== '').join(' '));
}
