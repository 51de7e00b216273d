import { changesAutomation } from '../path-rules/automation.ts';
import type { PathRule } from '../path-rules/path-rule.ts';
import { changesProduction } from '../path-rules/production.ts';
import { touchesSecrets } from '../path-rules/secrets.ts';
import type { Command } from '../shell/command.ts';
import { readable } from '../shell/marks.ts';
import { literals, scriptsOf } from '../wrappers/scripts.ts';
import { namedPaths, writtenPaths } from './path-arguments.ts';
import type { Rule } from './rule.ts';

/** The rules about files that a command hits by the files it names, as a diff would that changes them. */
export function rulesByFiles(
  command: Command,
  isAgentSetting: (path: string) => boolean = () => false,
): readonly Rule[] {
  const used = [
    ...namedPaths(command),
    ...command.redirects.map(({ path }) => path),
    ...quotedPaths(command),
  ];
  const written = [
    ...writtenPaths(command),
    ...pathsWrittenByScripts(command),
    ...command.redirects.filter(({ access }) => access !== 'read').map(({ path }) => path),
  ];
  const rules: Rule[] = [];
  if (used.some(isSecret)) rules.push('touches-secrets');
  if (written.some((path) => matchesAnywhere(changesProduction, path))) rules.push('changes-production');
  const automation = { matches: (path: string) => changesAutomation.matches(path) || isAgentSetting(path) };
  if (written.some((path) => matchesAnywhere(automation, path))) rules.push('changes-automation');
  return rules;
}

/** Properties of programs, not files. */
const properties = /^(?:process|import\.meta)\.env$/;

/** What a pattern such as `.e*` could mean. */
const dotFiles = ['.env', '.env.local', '.npmrc', '.netrc', '.git-credentials'];

function isSecret(path: string): boolean {
  const plain = normalized(path);
  if (properties.test(plain) || plain.length > 1_000) return false;
  if (/^proc\/[^/]+\/environ$/.test(plain) || /^etc\/g?shadow-?$/.test(plain)) return true;
  return touchesSecrets.matches(plain) || matchesDotFile(plain);
}

function matchesDotFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!/^\.\w+[*?[]/.test(name) && !/^\.\[?\w[^/]*[*?]/.test(name)) return false;
  if (name.length > 40) return false;
  const pattern = name
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  try {
    return dotFiles.some((file) => new RegExp(`^${pattern}$`).test(file));
  } catch {
    // A bracket that is not closed is an ordinary character, in a name that no file has.
    return false;
  }
}

/** The line may be run in any folder, and may name a file from anywhere. */
function matchesAnywhere({ matches }: PathRule, path: string): boolean {
  const parts = normalized(path).split('/').slice(-maxParts);
  return parts.some((_, index) => matches(parts.slice(index).join('/')));
}

const maxParts = 20;

/** Without `./`, `..` and a leading slash. */
function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of readable(path).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/') + (/\/\.?$/.test(path) && parts.length > 0 ? '/' : '');
}

/** The files that a script names; `'.key'` is as likely a property as a file, `'.env'` is not. */
function quotedPaths(command: Command): readonly string[] {
  return scriptsOf(command).flatMap(({ text }) => pathsIn(text));
}

/** The calls that write, copy or move files, in Python, JavaScript, Ruby, Perl and PHP. */
const writers = [
  'write_text|write_bytes|shutil\\.(?:copy|move)',
  'writeFile|appendFile|createWriteStream|copyFile|cpSync|rename',
  '(?:File|IO)\\.write|file_put_contents',
];
const opensToWrite = `,\\s*['"](?:[wax]b?\\+?|r\\+|>{1,2})['"]`;
const writes = new RegExp(`${opensToWrite}|\\b(?:${writers.join('|')})`);

/** Of a script that writes, all files it names: which of them it writes would take following it. */
function pathsWrittenByScripts(command: Command): readonly string[] {
  const scripts = scriptsOf(command).filter(({ text }) => writes.test(text));
  return scripts.flatMap(({ text }) => pathsIn(text));
}

function pathsIn(script: string): readonly string[] {
  return literals(script)
    .filter((text) => text.length < 300 && /^[\w./~-]*[./][\w.-]+$/.test(text))
    .filter((text) => text === '.env' || !/^\.[a-z]+$/i.test(text));
}
