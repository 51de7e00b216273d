import {
  type Ecosystem,
  type Folder,
  type FoundCommand,
  type NeededProgram,
  type Purpose,
  recordFrom,
  recordIn,
} from './ecosystem.ts';

interface Manager {
  readonly name: 'npm' | 'pnpm' | 'yarn' | 'bun';
  readonly install: FoundCommand | undefined;
  /** How it runs a script. */
  readonly runs: string;
}

/** The scripts that serve a purpose, the one that counts first. */
const scriptNames: Readonly<Record<Purpose, readonly string[]>> = {
  test: ['test:ci', 'test', 'test:unit', 'tests'],
  lint: ['lint', 'lint:ci', 'eslint', 'check:lint'],
  types: ['typecheck', 'type-check', 'check-types', 'check:types', 'types', 'tsc'],
  build: ['build'],
};

/** Looks for a package of JavaScript or TypeScript, whatever its package manager. */
export async function node(folder: Folder): Promise<Ecosystem | undefined> {
  if (!folder.has('package.json')) return undefined;
  const manifest = manifestIn(await folder.text('package.json'));
  if (manifest === undefined)
    return { title: 'JavaScript', short: 'node', setup: [], verifiers: {}, notes: [unreadable(folder)] };
  const manager = await managerOf(folder, manifest);
  const language = isTypeScript(folder, manifest) ? 'TypeScript' : 'JavaScript';
  const entries = Object.entries(scriptNames).flatMap(([purpose, names]) => {
    const name = names.find((each) => isUsable(manifest.scripts[each]));
    return name === undefined ? [] : [[purpose, scriptOf(name, manager)]];
  });
  return {
    title: `${language} with ${manager.name}`,
    short: 'node',
    setup: manager.install === undefined ? [] : [manager.install],
    verifiers: Object.fromEntries(entries),
    needs: needsOf(folder, manager),
    notes: notesOn(manifest, manager),
  };
}

interface PackageManifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: readonly string[];
  readonly packageManager: string;
  readonly workspaces: boolean;
}

function manifestIn(text: string): PackageManifest | undefined {
  const parsed = recordFrom(text);
  if (parsed === undefined) return undefined;
  const scripts = Object.entries(recordIn(parsed['scripts']) ?? {});
  const dependencies = ['dependencies', 'devDependencies'].flatMap((key) =>
    Object.keys(recordIn(parsed[key]) ?? {}),
  );
  return {
    scripts: Object.fromEntries(
      scripts.flatMap(([name, run]) => (typeof run === 'string' ? [[name, run]] : [])),
    ),
    dependencies,
    packageManager: String(parsed['packageManager'] ?? ''),
    workspaces: parsed['workspaces'] !== undefined,
  };
}

function unreadable({ path }: Folder): string {
  return `${path === '' ? '' : `${path}/`}package.json is not valid JSON, so none of its scripts is used`;
}

/** Each with the file that says so, and how it installs exactly what that file says. */
const lockFiles = [
  ['pnpm-lock.yaml', 'pnpm', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn', 'yarn install --frozen-lockfile'],
  ['bun.lock', 'bun', 'bun install --frozen-lockfile'],
  ['bun.lockb', 'bun', 'bun install --frozen-lockfile'],
  ['package-lock.json', 'npm', 'npm ci'],
  ['npm-shrinkwrap.json', 'npm', 'npm ci'],
] as const;

async function managerOf(folder: Folder, manifest: PackageManifest): Promise<Manager> {
  const [named] = manifest.packageManager.split('@');
  const locks = lockFiles.filter(([file]) => folder.has(file));
  const lock = locks.find(([, name]) => name === named) ?? locks[0];
  const name = lock?.[1] ?? managerNames.find((each) => each === named) ?? 'npm';
  const runs = name === 'pnpm' || name === 'yarn' ? name : `${name} run`;
  if (lock !== undefined) return { name, runs, install: { run: installOf(folder, lock), from: lock[0] } };
  const isEmpty = manifest.dependencies.length === 0 && !manifest.workspaces;
  return { name, runs, install: isEmpty ? undefined : { run: looseInstall(name), from: 'package.json' } };
}

const managerNames = ['npm', 'pnpm', 'yarn', 'bun'] as const;

/** Yarn 2 and later renamed the flag. */
function installOf(folder: Folder, [, name, install]: (typeof lockFiles)[number]): string {
  return name === 'yarn' && folder.has('.yarnrc.yml') ? 'yarn install --immutable' : install;
}

function looseInstall(name: Manager['name']): string {
  return name === 'npm' ? 'npm install --no-package-lock' : `${name} install`;
}

/** The first Yarn is there; its later versions come with the repository, or by Corepack. */
function needsOf(folder: Folder, { name }: Manager): readonly NeededProgram[] {
  if (name === 'npm') return [];
  if (name !== 'yarn') return [{ name, install: `npm install --global ${name}` }];
  return folder.has('.yarnrc.yml') ? [{ name: 'yarn', install: 'corepack enable' }] : [];
}

function isTypeScript(folder: Folder, { dependencies }: PackageManifest): boolean {
  return folder.has('tsconfig.json') || dependencies.includes('typescript');
}

/** What `npm init` writes is no test, and one that watches never ends. */
function isUsable(script: string | undefined): boolean {
  if (script === undefined || script.trim() === '') return false;
  return !/no test specified/.test(script) && !isWatching(script);
}

function isWatching(script: string): boolean {
  return /(?:^|\s)(?:--watch(?:All)?(?!=false)\b|-w\b|vitest watch\b)/.test(script);
}

function scriptOf(name: string, { name: manager, runs }: Manager): FoundCommand {
  const run = manager === 'npm' && name === 'test' ? 'npm test' : `${runs} ${name}`;
  return { run, from: `script "${name}" in package.json` };
}

function notesOn(manifest: PackageManifest, { install }: Manager): readonly string[] {
  const { test } = manifest.scripts;
  return [
    ...(test !== undefined && isWatching(test)
      ? ['the script "test" watches for changes and would never end, so it is no verifier']
      : []),
    ...(install?.from === 'package.json'
      ? ['there is no lock file, so each run may install other versions']
      : []),
    ...(manifest.workspaces ? ['only the scripts of the root are used, not those of single workspaces'] : []),
  ];
}
