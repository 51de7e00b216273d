import { notesOnCi, type WorkflowCommand, workflowCommands } from './continuous-integration.ts';
import {
  type Ecosystem,
  type Findings,
  type Folder,
  type FoundCommand,
  type FoundVerifier,
  folderOf,
  type NeededProgram,
  type Purpose,
  purposes,
  type RepositoryFiles,
} from './ecosystems/ecosystem.ts';
import { node } from './ecosystems/node.ts';
import { dotnet, go, java, php, ruby, rust } from './ecosystems/other-languages.ts';
import { python } from './ecosystems/python.ts';

const ecosystems = [node, python, go, rust, java, dotnet, ruby, php];

/** Files that make a folder a project. */
const manifests = [
  ...['package.json', 'pyproject.toml', 'setup.py', 'requirements.txt', 'go.mod', 'Cargo.toml', 'pom.xml'],
  ...['build.gradle', 'build.gradle.kts', 'Gemfile', 'composer.json'],
];

/** Folders of other people's code, of examples and of what is built. */
const passedOver = [
  ...['node_modules', 'vendor', 'third_party', 'example', 'examples', 'fixture', 'fixtures', 'testdata'],
  ...['doc', 'docs', 'dist', 'build', 'target', 'template', 'templates'],
];

/** How deep below the root a project is looked for, in folders. */
const maxDepth = 2;

/** How many projects of a repository are set up; the rest are named. */
const maxProjects = 4;

/** Looks at a repository as somebody would who has to work on it; runs nothing. */
export async function look(repository: RepositoryFiles): Promise<Findings> {
  const all = await repository.files();
  const root = await projectIn(folderOf(repository, all, ''));
  const below = root.isEmpty ? projectsBelow(all) : [];
  const folders = below.slice(0, maxProjects).map((path) => folderOf(repository, all, path));
  const others = await Promise.all(folders.map(projectIn));
  const projects = root.isEmpty ? others : [root];
  const commands = projects.flatMap(({ commands: each }) => each);
  const workflows = await workflowCommands(repository, all);
  const verifiers = named(preferred(commands, workflows), projects.length > 1);
  return {
    found: projects.flatMap(({ titles }) => titles),
    setup: projects.flatMap(({ setup }) => setup),
    verifiers,
    needs: programsIn(projects, verifiers),
    notes: [
      ...projects.flatMap(({ notes }) => notes),
      ...notesOnFolders(below),
      ...notesOnCi(verifiers, workflows),
    ],
  };
}

type Project = Awaited<ReturnType<typeof projectIn>>;

/** A command for a purpose; of several for the same purpose and place, the first counts. */
interface Offer extends FoundCommand {
  readonly purpose: Purpose;
  readonly short: string;
  readonly folder: string;
}

/** What one folder offers. */
async function projectIn(folder: Folder) {
  const all = await Promise.all(ecosystems.map((each) => each(folder)));
  const found = all.filter((each) => each !== undefined);
  const targets = await made(folder);
  const own = found.flatMap((each) => offersOf(each.verifiers, { folder, short: each.short }));
  // A Makefile usually calls what the languages' own files say, so it counts where these say nothing.
  const rest = offersOf(targets, { folder, short: 'make' });
  const notes = found.flatMap((each) => each.notes ?? []);
  return {
    titles: found.map(({ title }) => (folder.path === '' ? title : `${title} in ${folder.path}/`)),
    setup: found.flatMap(({ setup }) => setup.map((each) => inFolder(each, folder))),
    commands: [...own, ...rest],
    notes: folder.path === '' ? notes : notes.map((note) => `in ${folder.path}/, ${note}`),
    needs: found.flatMap(({ needs = [] }) => needs),
    isEmpty: found.length === 0 && rest.length === 0,
  };
}

/** Names each once, and `just` only where a verifier uses it. */
function programsIn(
  projects: readonly Project[],
  verifiers: readonly FoundVerifier[],
): readonly NeededProgram[] {
  const usesJust = verifiers.some(({ run }) => /(?:^|&& )just /.test(run));
  const just = usesJust ? [{ name: 'just', install: 'pipx install rust-just' }] : [];
  const all = [...projects.flatMap(({ needs }) => needs), ...just];
  return all.filter(({ name }, index) => all.findIndex((each) => each.name === name) === index);
}

function offersOf(
  verifiers: Ecosystem['verifiers'],
  { folder, short }: { readonly folder: Folder; readonly short: string },
): readonly Offer[] {
  return purposes.flatMap((purpose) => {
    const command = verifiers[purpose];
    if (command === undefined) return [];
    return [{ ...inFolder(command, folder), purpose, short, folder: folder.path }];
  });
}

function inFolder({ run, from }: FoundCommand, { path }: Folder): FoundCommand {
  return path === '' ? { run, from } : { run: `cd ${quoted(path)} && ${run}`, from: `${from}, in ${path}/` };
}

function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** The folders with projects that are nearest to the root, those of the same depth by name. */
function projectsBelow(all: readonly string[]): readonly string[] {
  const folders = all.flatMap((path) => {
    const [, folder, file] = /^(.+)\/([^/]+)$/.exec(path) ?? [];
    return folder !== undefined && file !== undefined && isManifest(file) ? [folder] : [];
  });
  const wanted = [...new Set(folders)].filter((path) => depth(path) <= maxDepth && !isPassedOver(path));
  const own = wanted.filter((path) => !wanted.some((other) => path.startsWith(`${other}/`)));
  return own.toSorted((one, other) => depth(one) - depth(other) || one.localeCompare(other));
}

function isManifest(file: string): boolean {
  return manifests.includes(file) || /\.slnx?$/.test(file);
}

function isPassedOver(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.') || passedOver.includes(part));
}

function depth(path: string): number {
  return path.split('/').length;
}

/** A target of a Makefile counts where nothing else does, or where CI calls it. */
function preferred(offers: readonly Offer[], workflows: readonly WorkflowCommand[]): readonly Offer[] {
  const isRun = ({ run }: Offer) => workflows.some((each) => mentions(each.run, run));
  const targets = offers.filter(({ short }) => short === 'make');
  const chosen = targets.filter((target) => {
    const same = offers.filter(
      (each) => each.short !== 'make' && each.folder === target.folder && each.purpose === target.purpose,
    );
    return same.length === 0 || (isRun(target) && !same.some(isRun));
  });
  return offers.filter((each) => {
    if (each.short === 'make') return chosen.includes(each);
    return !chosen.some(({ folder, purpose }) => folder === each.folder && purpose === each.purpose);
  });
}

function mentions(line: string, command: string): boolean {
  return ` ${line} `.includes(` ${command} `);
}

/** Names that differ: `test`, or `test-go` and `test-web` where there are several. */
function named(offers: readonly Offer[], several: boolean): readonly FoundVerifier[] {
  const sorted = purposes.flatMap((purpose) => offers.filter((each) => each.purpose === purpose));
  const names = new Set<string>();
  return sorted.map(({ purpose, folder, short, run, from }) => {
    const isAlone = sorted.filter((each) => each.purpose === purpose).length === 1;
    const place = several ? wordOf(folder) : short;
    const wanted = [purpose, `${purpose}-${place}`, `${purpose}-${place}-${short}`];
    const name =
      wanted.slice(isAlone ? 0 : 1).find((each) => !names.has(each.toLowerCase())) ??
      `${purpose}-${names.size + 1}`;
    names.add(name.toLowerCase());
    return { name, run, from };
  });
}

/** What the name of a verifier may contain, and short enough for it. */
function wordOf(folder: string): string {
  const word = folder.replace(/\W+/g, '-').slice(0, maxWordLength);
  return word.replace(/^[-_]+|[-_]+$/g, '') || 'root';
}

const maxWordLength = 30;

function notesOnFolders(below: readonly string[]): readonly string[] {
  if (below.length <= 1) return [];
  const rest = below.slice(maxProjects, maxProjects + maxNamed).map((path) => `${path}/`);
  const more = below.length > maxProjects + maxNamed ? ', …' : '';
  const chosen = `there are ${below.length} projects, none of them at the root`;
  if (rest.length === 0) return [`${chosen}: all of them are set up`];
  return [`${chosen}: the first ${maxProjects} are set up, and not ${rest.join(', ')}${more}`];
}

/** How many of the rest are named. */
const maxNamed = 5;

/** The targets that serve a purpose, the one that counts first. */
const targets: Readonly<Record<Purpose, readonly string[]>> = {
  test: ['test', 'tests', 'check'],
  lint: ['lint'],
  types: ['typecheck', 'type-check', 'types'],
  build: ['build'],
};

const files = [
  ['Makefile', 'make'],
  ['makefile', 'make'],
  ['GNUmakefile', 'make'],
  ['justfile', 'just'],
  ['Justfile', 'just'],
  ['.justfile', 'just'],
] as const;

/** What a Makefile or a justfile offers. */
async function made(folder: Folder): Promise<Readonly<Partial<Record<Purpose, FoundCommand>>>> {
  const [file, program] = files.find(([name]) => folder.has(name)) ?? [];
  if (file === undefined) return {};
  const text = await folder.text(file);
  const entries = Object.entries(targets).flatMap(([purpose, names]) => {
    const name = names.find((each) => hasTarget(text, each));
    return name === undefined ? [] : [[purpose, { run: `${program} ${name}`, from: `"${name}" in ${file}` }]];
  });
  return Object.fromEntries(entries);
}

/** Whether there is such a target: in a justfile it may have parameters, and a variable is none. */
function hasTarget(text: string, name: string): boolean {
  return new RegExp(`^@?${name}(?:[ \\t][^:=\\n]*)?:(?!=)`, 'm').test(text);
}
