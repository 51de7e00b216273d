import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Forge } from '@coxswain/forge';
import { askGit } from '../terminal/clone.ts';
import { UsageError } from '../terminal/exit.ts';

/** A repository of this machine that somebody wants to try Coxswain on, in the demo's GitHub. */
export interface OwnRepository {
  /** The root of its clone on this machine. */
  readonly folder: string;
  /** What it is called there. */
  readonly name: string;
  /** What is checked out, which becomes its default branch there. */
  readonly branch: string;
  /** Whether there are changes that no commit has: they stay behind. */
  readonly dirty: boolean;
}

const option = '--repository';
const example = `${option} ../my-project`;

/** Looks at the folder and changes nothing. Throws `UsageError` where it cannot be copied. */
export async function examineRepository(path: string): Promise<OwnRepository> {
  // Resolved, it would be whatever folder this was started in.
  if (path.trim() === '') throw new UsageError(`${option} is empty: expected a folder, as in ${example}`);
  const folder = resolve(path);
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw refused(path, 'is not a folder', 'a clone of yours');
  const root = await askGit(folder, ['rev-parse', '--show-toplevel']);
  if (root === undefined) throw refused(path, 'is not in a Git repository with files', 'a clone of yours');
  if ((await askGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD'])) === undefined)
    throw refused(path, 'has no commit yet', 'a repository with at least one commit');
  if ((await askGit(root, ['rev-parse', '--is-shallow-repository'])) === 'true')
    throw refused(path, 'is a shallow clone', 'its whole history: `git fetch --unshallow` brings it');
  const branch = await askGit(root, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const changes = await askGit(root, ['status', '--porcelain']);
  return { folder: root, name: nameOf(root), branch: branch ?? 'main', dirty: changes !== '' };
}

function refused(path: string, what: string, expected: string): UsageError {
  return new UsageError(`${option} ${path} ${what}: expected ${expected}, as in ${example}`);
}

/** GitHub turns what names of repositories cannot contain into hyphens; `widgets` is the demo's own. */
function nameOf(root: string): string {
  const name = basename(root).replace(/[^\w.-]+/g, '-');
  return /^(?:\.*|widgets)$/i.test(name)
    ? `my-${name.replaceAll('.', '')}`.replace(/-$/, '-repository')
    : name;
}

/** Copies it to the demo's GitHub, where nobody but Ada has it. Returns its name there. */
export async function bringRepository(
  { seed }: Pick<Forge, 'seed'>,
  { folder, name, branch }: OwnRepository,
): Promise<string> {
  await seed.addRepository({ owner: 'acme', name, private: true, default_branch: branch, history: folder });
  const fullName = `acme/${name}`;
  seed.setCollaborator(fullName, 'ada', 'admin');
  return fullName;
}

/** What somebody reads who has brought their own. `web`: the demo's GitHub. */
export function aboutRepository({ name, dirty }: OwnRepository, web: string): string {
  const changes = dirty ? ' What is not committed stayed behind.' : '';
  return `Your repository is ${web}/acme/${name}, a copy: yours stays as it is.${changes}
Open the page first, which signs you in. Then write an issue (${web}/acme/${name}/issues/new)
and put the label coxswain on it. Where there is no .github/coxswain.yml, Coxswain proposes one first. An agent with a
key in the environment of the demo, such as ANTHROPIC_API_KEY, works for real: what it reads goes to its model, and
setup commands ask the registries of packages.
`;
}
