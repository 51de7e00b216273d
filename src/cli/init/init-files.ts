import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text as example } from '../../../examples/claude.yml?text';
import { shortestChoice } from '../../agent/index.ts';
import { readConfig } from '../../config/read.ts';
import { problemText } from '../../config/schema/config-problem.ts';
import { configPath } from '../../config/schema.ts';
import { issueForm, issueFormPath } from '../../config/tasks/form.ts';
import { GitError, git } from '../../git/git.ts';
import type { Findings } from '../../onboarding/ecosystems/ecosystem.ts';
import { configurationText, workflowText } from '../../onboarding/setup-files.ts';
import { type ProfileName, profileNames, profiles } from '../../profiles/index.ts';
import { type Clone, filesIn } from '../terminal/clone.ts';

/** A file that a repository should have. */
interface WantedFile {
  /** Where it belongs, seen from the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** Where the workflow is written. */
export const workflowPath = '.github/workflows/coxswain.yml';

interface Wanted {
  readonly findings: Findings;
  readonly agent: ProfileName;
  /** An App works on the repository, so it needs no workflow. */
  readonly app: boolean;
  /** The release that the workflow uses, as `owner/name@ref`. */
  readonly action: string;
}

/** Makes the files that the repository should have, as it is now. */
export async function wantedFiles(
  clone: Clone,
  { findings, agent, app, action }: Wanted,
): Promise<readonly WantedFile[]> {
  const configuration = {
    path: configPath,
    text: configurationText(findings, shortestChoice(agent)),
  };
  requireValid(configuration.text, clone);
  const hasForm = (await filesIn(clone.root).read(issueFormPath)) !== undefined;
  // Whatever the form says that is there, people have written it for people.
  const others = hasForm ? [] : [{ path: issueFormPath, text: issueForm() }];
  if (app || (await workflowOf(clone)).path !== workflowPath) return [configuration, ...others];
  const { title, keys } = profiles[agent];
  const { needs } = findings;
  const text = workflowText({ example, agentTitle: title, key: keys[0], action, needs });
  return [configuration, { path: workflowPath, text }, ...others];
}

/** Whoever wrote the configuration that is there has chosen an agent. */
export async function configuredAgent({ root, defaultBranch: ref }: Clone): Promise<ProfileName | undefined> {
  const reading = readConfig(await filesIn(root).read(configPath), { path: configPath, ref });
  if (reading.outcome === 'misconfigured') return undefined;
  return profileNames.find((name) => name === reading.settings.agent.use);
}

/** The workflow that runs Coxswain, with its text if it is there: the usual one, or one of another name. */
export async function workflowOf({
  root,
}: Clone): Promise<{ readonly path: string; readonly text: string | undefined }> {
  const files = filesIn(root);
  const paths = (await files.files()).filter((path) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path));
  for (const path of paths.filter((each) => each !== workflowPath)) {
    const text = await files.read(path);
    if (text !== undefined && /^\s*-?\s*uses:\s*["']?[\w-]+\/coxswain@/m.test(text)) return { path, text };
  }
  return { path: workflowPath, text: await files.read(workflowPath) };
}

/** What we write ourselves must be what we can read. */
function requireValid(text: string, { defaultBranch: ref }: Clone): void {
  const reading = readConfig(text, { path: configPath, ref });
  if (reading.outcome === 'configured') return;
  throw new Error(`could not make a valid configuration: ${reading.problems.map(problemText).join('; ')}`);
}

/** How such a file compares with what is there. */
export interface ComparedFile extends WantedFile {
  readonly state: 'missing' | 'same' | 'different';
  /** How what is there becomes what is wanted, as `git diff` shows it; empty unless they differ. */
  readonly difference: string;
}

export function compareAll(root: string, wanted: readonly WantedFile[]): Promise<readonly ComparedFile[]> {
  return Promise.all(wanted.map((file) => compare(root, file)));
}

async function compare(root: string, file: WantedFile): Promise<ComparedFile> {
  await requireNoLink(root, file.path);
  const there = await textAt(join(root, file.path));
  if (there === undefined) return { ...file, state: 'missing', difference: '' };
  if (there === file.text) return { ...file, state: 'same', difference: '' };
  return { ...file, state: 'different', difference: await differenceOf(root, file) };
}

/** Whoever made a clone may have put links into it that lead out of it. */
async function requireNoLink(root: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (const index of parts.keys()) {
    const part = parts.slice(0, index + 1).join('/');
    const found = await lstat(join(root, part)).catch((fault: unknown) => {
      if (codeOf(fault) === 'ENOENT' || codeOf(fault) === 'ENOTDIR') return undefined;
      throw new Error(`could not look at ${join(root, part)}`, { cause: fault });
    });
    if (found?.isSymbolicLink())
      throw new Error(
        `could not write ${join(root, path)}: ${part} is a symbolic link, and init follows none`,
      );
  }
}

async function textAt(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new Error(`could not read ${path}: expected a file, or nothing`, { cause });
  }
}

async function differenceOf(root: string, { path, text }: WantedFile): Promise<string> {
  const command = ['diff', '--no-index', '--no-color', '--no-ext-diff', '--', path, '-'];
  const shown = await git(command, { cwd: root, input: text }).catch((fault: unknown) => {
    // That there are differences.
    if (fault instanceof GitError && fault.exitCode === 1) return fault.stdout;
    throw fault;
  });
  // The first lines name files that do not exist.
  return shown.slice(Math.max(0, shown.indexOf('\n@@') + 1));
}

/**
 * Writes all of the files or none. Each appears at once with its whole text. Only with `replace` is one that
 * exists replaced; one that somebody has made meanwhile is not.
 */
export async function writeAll(
  root: string,
  files: readonly WantedFile[],
  { replace }: { readonly replace: boolean },
): Promise<void> {
  const ready: { readonly target: string; readonly temporary: string }[] = [];
  const done: Done[] = [];
  try {
    for (const { path, text } of files) {
      const target = join(root, path);
      ready.push({ target, temporary: await prepared(target, text) });
    }
    for (const { target, temporary } of ready) {
      const before = replace ? await setAside(target) : undefined;
      done.push({ target, before });
      await (replace ? rename(temporary, target) : link(temporary, target)).catch(async (cause: unknown) => {
        done.pop();
        if (before !== undefined) await rm(before);
        throw new Error(`could not write ${target}`, { cause });
      });
    }
  } catch (fault) {
    for (const one of done) await undo(one);
    throw fault;
  } finally {
    for (const { temporary } of ready) await rm(temporary, { force: true });
  }
  for (const { before } of done) if (before !== undefined) await rm(before, { force: true });
}

/** A file that was written, and where what was there before is meanwhile. */
interface Done {
  readonly target: string;
  readonly before: string | undefined;
}

async function undo({ target, before }: Done): Promise<void> {
  await (before === undefined ? rm(target, { force: true }) : rename(before, target));
}

/** A second name for what is there; undefined if nothing is. */
async function setAside(target: string): Promise<string | undefined> {
  const before = `${target}.${randomBytes(6).toString('hex')}.old`;
  try {
    await link(target, before);
    return before;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new Error(`could not replace ${target}`, { cause });
  }
}

/** Writes it in the same folder, so that it can be moved at once. */
async function prepared(target: string, text: string): Promise<string> {
  const temporary = `${target}.${randomBytes(6).toString('hex')}.new`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(temporary, text, { flag: 'wx' });
    return temporary;
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const why = codeOf(cause) === 'EROFS' || codeOf(cause) === 'EACCES' ? ': its folder is read-only' : '';
    throw new Error(`could not write ${target}${why}`, { cause });
  }
}

function codeOf(fault: unknown): unknown {
  return fault instanceof Error && 'code' in fault ? fault.code : undefined;
}
