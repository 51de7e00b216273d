import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { load, YAMLException } from 'js-yaml';
import { exportFolder, type Found, findAt } from '../../git/git-index.ts';
import type { Mirror } from '../../git/mirror.ts';
import type { Failure } from '../../steering/shapes/attempt-result.ts';
import { shortened } from '../../text/characters.ts';
import type { AttemptFolders } from '../sandbox/folders.ts';
import { type SandboxContext, seenBy } from './sandboxed-run.ts';

/** A skill that the configuration names: instructions for one kind of work, with files if it needs any. */
interface Skill {
  /** Unique, and safe as the name of a folder. */
  readonly name: string;
  /** What it is for; empty if it does not say. */
  readonly description: string;
  /** Where the default branch has it. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** A skill where the agent can read it. */
export interface PlacedSkill extends Skill {
  /** Where the agent sees it. */
  readonly folder: string;
}

type Reading =
  | { readonly kind: 'skills'; readonly skills: readonly Skill[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Where the skills are: the mirror, and the revision of the default branch. */
interface Source {
  readonly mirror: Mirror;
  readonly rev: string;
}

const maxFiles = 500;
const maxBytes = 10 * 1024 * 1024;
const entryFile = 'SKILL.md';

/** Reads which skills there are at the paths of the configuration; fails for one that cannot be given. */
export async function readSkills(paths: readonly string[], source: Source): Promise<Reading> {
  const skills: Skill[] = [];
  for (const path of paths) {
    const { mirror, rev } = source;
    const found = await mirror.reading(() => findAt(mirror.dir, rev, path));
    const skill = problemWith(found) ?? (await skillAt(path, found, source));
    if (typeof skill === 'string') return failed(path, skill);
    if (skills.some(({ name }) => name === skill.name))
      return failed(path, `another skill is \`${skill.name}\``);
    skills.push(skill);
  }
  return { kind: 'skills', skills };
}

/** Writes the skills where no program that has run so far could have put anything. */
export async function placeSkills(
  skills: readonly Skill[],
  context: SandboxContext,
  { mirror, rev }: Source,
): Promise<readonly PlacedSkill[]> {
  const all = skillsFolder(context);
  await rm(all, { recursive: true, force: true });
  for (const { name, path, kind } of skills) {
    const to = join(all, name);
    await mkdir(dirname(to), { recursive: true });
    if (kind === 'folder') await mirror.reading(() => exportFolder(mirror.dir, { rev, path, to }));
    else {
      await mkdir(to);
      await writeFile(join(to, entryFile), (await mirror.readFile(rev, path)) ?? '');
    }
  }
  return placedIn(context, skills);
}

/** Where the skills will be. */
export function placedIn(context: SandboxContext, skills: readonly Skill[]): readonly PlacedSkill[] {
  const all = skillsFolder(seenBy(context));
  return skills.map((skill) => ({ ...skill, folder: join(all, skill.name) }));
}

export function skillsFolder({ made }: AttemptFolders): string {
  return join(made, 'skills');
}

/** Why it is no skill, in part of a sentence. */
function problemWith(found: Found): string | undefined {
  if (found.kind === 'none') return `there is no file, and no folder with a \`${entryFile}\``;
  const files = found.kind === 'file' ? [{ ...found, path: '', isPlain: true }] : found.files;
  if (found.kind === 'folder' && !files.some(({ path }) => path === entryFile))
    return `the folder has no \`${entryFile}\``;
  const odd = files.find(({ isPlain }) => !isPlain);
  if (odd !== undefined) return `\`${odd.path}\` in it is a link: expected only files and folders`;
  if (files.length > maxFiles) return `the folder has ${files.length} files: expected at most ${maxFiles}`;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return bytes > maxBytes ? `it has ${bytes} bytes: expected at most ${maxBytes}` : undefined;
}

async function skillAt(path: string, found: Found, { mirror, rev }: Source): Promise<Skill> {
  const plain = path.replace(/\/+$/, '');
  const kind = found.kind === 'folder' ? 'folder' : 'file';
  const entry = kind === 'folder' ? `${plain}/${entryFile}` : plain;
  const { name, description } = frontMatter((await mirror.readFile(rev, entry)) ?? '');
  return {
    name: isName(name) ? name : nameOf(entry),
    description:
      typeof description === 'string' ? shortened(description.replace(/\s+/g, ' ').trim(), 500) : '',
    ...{ path: plain, kind },
  };
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && /^[A-Za-z0-9][\w-]{0,63}$/.test(name);
}

/** The name that its folder gives it, or its file if that has a name of its own. */
function nameOf(entry: string): string {
  const file = basename(entry);
  const own =
    file === entryFile && dirname(entry) !== '.' ? basename(dirname(entry)) : file.replace(/\.\w+$/, '');
  return (
    own
      .replace(/[^\w-]+/g, '-')
      .replace(/^-+/, '')
      .slice(0, 64) || 'skill'
  );
}

/** The YAML between dashes at the top; empty if it cannot be read, for agents read the text itself. */
function frontMatter(text: string): { readonly name?: unknown; readonly description?: unknown } {
  const [, yaml] = /^\uFEFF?---\r?\n([\s\S]{0,20000}?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  try {
    const value = yaml === undefined ? null : load(yaml);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (fault) {
    if (fault instanceof YAMLException) return {};
    throw fault;
  }
}

function failed(path: string, why: string): Reading {
  const message =
    `the skill \`${path}\` cannot be given to the agent: on the default branch ${why}; ` +
    'skills are named under `agent.skills` in .github/coxswain.yml';
  return { kind: 'failed', failure: { kind: 'agent_unusable', message } };
}
