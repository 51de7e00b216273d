import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, readlink, realpath, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import picomatch from 'picomatch';

/**
 * Where the usual runners write JUnit XML, and where their documentation tells them to. What is found there
 * and is something else is passed over.
 */
const isUsualPlace = picomatch([
  // jest-junit, cargo-nextest, CTest, Vitest, RSpec, karma-junit-reporter, Deno and many others.
  '**/*{junit,JUnit}*.xml',
  '**/*{junit,JUnit}*/**/*.xml',
  // Maven, Gradle, Bats, pytest, PHPUnit, go-junit-report.
  '**/report.xml',
  '**/{pytest,phpunit,xunit,TEST}*.xml',
  // mocha-junit-reporter, Playwright, .NET, CircleCI.
  '**/{test-results,test-report,test_results,TestResults}*.xml',
  '**/{test-results,test-reports,TestResults}/**/*.xml',
  '**/reports/test*/**/*.xml',
]);

/** What is large, and has only what others wrote or what compilers left. */
const leftOut = new Set([
  ...['node_modules', 'bower_components', 'vendor', 'site-packages', '.venv', 'venv', '.tox', '.nox'],
  ...['.git', '.hg', '.svn', '.gradle', '.m2', '.cargo', '.yarn', '.pnpm-store', '.cache', '__pycache__'],
  ...['.fingerprint', 'incremental'],
]);

/** No runner writes its reports further below. */
const maxDepth = 12;
const maxEntries = 200_000;
const maxReports = 20;
export const maxBytes = 8 * 1024 * 1024;

/** Files carry the time of the kernel's last tick, which comes at least a hundred times a second. */
const tickMs = 20;

/**
 * The time in the file system of a folder of ours, after everything that has been written there. What a
 * verifier makes or changes is newer: no program can set the time of a file's last change.
 */
export async function timeIn(folder: string): Promise<bigint> {
  await passed(tickMs);
  const now = new Date();
  await utimes(folder, now, now);
  return (await lstat(folder, { bigint: true })).ctimeNs;
}

export interface Search {
  /** Where reports are; undefined stands for the usual places. */
  readonly globs: readonly string[] | undefined;
  /** What was neither made nor changed since then is no report of this run. */
  readonly since: bigint;
}

/**
 * Paths, relative to the workspace, of what may be a report, and why others are not among them: of more than
 * 20, they are the newest. Programs may still be running.
 */
export async function findReports(workspace: string, { globs, since }: Search) {
  const isReport = globs === undefined ? isUsual : picomatch([...globs], { dot: true });
  const found: { readonly path: string; readonly changed: bigint }[] = [];
  const walk = await walkThrough(workspace, async (path) => {
    if (!isReport(path)) return;
    const stats = await lstat(join(workspace, path), { bigint: true }).catch(() => undefined);
    if (stats?.isFile() && stats.ctimeNs >= since) found.push({ path, changed: stats.ctimeNs });
  });
  const newest = found.sort((a, b) => Number(b.changed - a.changed) || (a.path < b.path ? -1 : 1));
  const paths = newest.map(({ path }) => path);
  const more = paths.slice(maxReports);
  const named = more.slice(0, maxReports).join(', ');
  const others = more.length > maxReports ? ` and ${more.length - maxReports} more` : '';
  return {
    paths: paths.slice(0, maxReports).sort(),
    unread: [
      ...(more.length > 0 ? [`${named}${others}: only the newest ${maxReports} are read`] : []),
      // Of what writes no reports, such as a linter, none is missing.
      ...(walk === 'cut' && (globs !== undefined || paths.length > 0)
        ? ['the workspace has too many files for all of it to be searched']
        : []),
    ],
  };
}

/** Names first: most files of a repository are something else. TestNG writes what Surefire does, too. */
function isUsual(path: string): boolean {
  return path.endsWith('.xml') && !path.includes('/junitreports/') && isUsualPlace(path);
}

/** Calls `onFile` for each file, those near the top first. Follows no links. */
async function walkThrough(
  workspace: string,
  onFile: (path: string) => Promise<void>,
): Promise<'whole' | 'cut'> {
  const folders = [{ path: '', depth: 0 }];
  let entries = 0;
  for (const { path, depth } of folders) {
    // What nobody may read, or is gone already, has nothing to be found.
    const inside = await opendir(join(workspace, path), { bufferSize: 1000 }).catch(() => undefined);
    for await (const entry of inside ?? []) {
      entries += 1;
      if (entries > maxEntries) return 'cut';
      const inner = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isFile()) await onFile(inner);
      else if (entry.isDirectory() && depth < maxDepth && !leftOut.has(entry.name))
        folders.push({ path: inner, depth: depth + 1 });
    }
  }
  return 'whole';
}

/** Opens a file of the workspace to be read; text says why it cannot be. */
export async function openReport(
  workspace: string,
  path: string,
  since: bigint,
): Promise<FileHandle | string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const whole = join(workspace, path);
  const handle = await open(whole, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (handle === undefined) return 'it cannot be opened';
  const opened = await handle.stat({ bigint: true });
  // A folder of the path may have become a link meanwhile, and may be none again: only Linux knows what was
  // opened. Elsewhere there is no sandbox, and what runs could read it anyway.
  const real = await readlink(`/proc/self/fd/${handle.fd}`).catch(() =>
    realpath(whole).catch(() => undefined),
  );
  if (real === whole && opened.isFile() && opened.ctimeNs >= since && opened.size <= maxBytes) return handle;
  await handle.close();
  return opened.size > maxBytes ? 'it is larger than 8 MiB' : 'it was replaced while it was looked at';
}

/** A report can name more paths than anybody would look for. */
const maxLookups = 10_000;

/** Tells whether a path names a file of the workspace, with no link and no `..` on the way. */
export function filesIn(workspace: string): (path: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return async (path) => {
    if (!known.has(path) && known.size < maxLookups) known.set(path, isFileIn(workspace, path));
    return (await known.get(path)) ?? false;
  };
}

async function isFileIn(workspace: string, path: string): Promise<boolean> {
  const whole = `${workspace}/${path}`;
  if ((await realpath(whole).catch(() => undefined)) !== whole) return false;
  return (await lstat(whole).catch(() => undefined))?.isFile() === true;
}
