import { endingOf } from '../../text/cut.ts';
import { ownHome, pathOf, registrySettings, searchPath } from '../environment.ts';
import { type ProcessResult, runChild } from '../process/child.ts';

interface NpmOptions {
  /** With `package.json` and the lockfile. */
  readonly folder: string;
  readonly cache: string;
  readonly workRoot: string;
}

const timeoutMs = 10 * 60_000;

/** Nothing of what is downloaded runs here. Audits and news would ask the registry for more. */
const options = [
  ...['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--no-progress'],
  ...['--include=optional', '--package-lock=true', '--install-strategy=hoisted', '--global=false'],
  ...['--workspaces=false', '--engine-strict=false', '--loglevel=error'],
];

/**
 * Installs what a lockfile names. npm has the settings of the user that we are, for these say how this
 * machine reaches a registry; its cache is ours. Returns why it failed, in part of a sentence; null if
 * it did not.
 */
export async function npmCi({ folder, cache, workRoot }: NpmOptions): Promise<string | null> {
  const npm = pathOf('npm');
  if (npm === 'npm') return 'there is no npm on the search path';
  // Other users have to be able to read what is installed, whatever our umask is.
  const argv = ['sh', '-c', 'umask 022; exec "$@"', 'sh', npm, 'ci', ...options, '--cache', cache];
  const env = { ...registrySettings(), PATH: searchPath(), HOME: ownHome(), LANG: 'C.UTF-8', CI: 'true' };
  const request = { argv, cwd: folder, env, timeoutMs, workRoot, keepBytes: 64 * 1024 };
  return problemOf(await runChild(request, new AbortController().signal));
}

function problemOf(result: ProcessResult): string | null {
  if (result.end === 'exited' && result.exitCode === 0) return null;
  if (result.end === 'timed_out') return `npm did not finish within ${timeoutMs / 60_000} minutes`;
  if (result.end === 'not_started') return `npm could not be started: ${result.message}`;
  const how = result.end === 'exited' ? `exit code ${result.exitCode}` : result.end;
  const said = (result.stderr.trim() || result.stdout.trim()).split('\n').map(plain);
  const text = said.filter((line) => line !== '' && !/complete log of this run/.test(line)).join('; ');
  return `npm ended with ${how}: ${endingOf(text, 600)}`;
}

function plain(line: string): string {
  return line.replace(/^npm (?:error|ERR!) ?/, '').trim();
}
