import type { Ecosystem, Folder, FoundCommand } from './ecosystem.ts';

/** How dependencies are installed, and how programs among them are started. */
interface Manager {
  readonly title: string;
  readonly install: readonly FoundCommand[];
  readonly runs: string;
  /** The program itself, where it is not Python's own. */
  readonly program?: string;
}

const manifests = [
  'pyproject.toml',
  'setup.py',
  'setup.cfg',
  'requirements.txt',
  'tox.ini',
  'noxfile.py',
  'Pipfile',
];

/** Looks for a project in Python. */
export async function python(folder: Folder): Promise<Ecosystem | undefined> {
  if (!manifests.some((name) => folder.has(name))) return undefined;
  const project = await projectIn(folder);
  const manager = managerOf(folder, project);
  const test = testOf(folder, project, manager);
  const [lint, types] = [lintOf(folder, project, manager), typesOf(folder, project, manager)];
  return {
    title: `Python with ${manager.title}`,
    short: 'python',
    setup: [...manager.install, ...(test?.setup ?? [])],
    verifiers: { test: test?.verifier, lint, types },
    needs: manager.program === undefined ? [] : [needed(manager.program)],
  };
}

const needed = (name: string) => ({ name, install: `pipx install ${name}` });

type Project = Awaited<ReturnType<typeof projectIn>>;

/** Only so many are read. */
const maxRequirements = 20;

/** What the files of a project say; `named` is the text of all that name dependencies. */
async function projectIn(folder: Folder) {
  const all = folder.matching(/^(?:requirements[\w.-]*|requirements\/[\w.-]+)\.txt$/);
  const requirements = all.slice(0, maxRequirements);
  const pyproject = await folder.text('pyproject.toml');
  const files = ['setup.py', 'setup.cfg', 'Pipfile', 'tox.ini', ...requirements];
  const rest = await Promise.all(files.map((name) => folder.text(name)));
  return { pyproject, named: [pyproject, ...rest].join('\n'), requirements };
}

const locked = [
  ['uv.lock', 'uv', 'uv sync --locked', 'uv run --no-sync'],
  ['poetry.lock', 'Poetry', 'poetry install --no-interaction', 'poetry run'],
  ['pdm.lock', 'PDM', 'pdm sync', 'pdm run'],
  ['Pipfile.lock', 'Pipenv', 'pipenv sync --dev', 'pipenv run'],
] as const;

function managerOf(folder: Folder, project: Project): Manager {
  const lock = locked.find(([file]) => folder.has(file));
  if (lock === undefined) return withPip(folder, project);
  const [from, title, run, runs] = lock;
  return { title, install: [{ run, from }], runs, program: title.toLowerCase() };
}

/** In an environment of its own: those of systems refuse packages. What setup leaves is no agent's work. */
function withPip(folder: Folder, { pyproject, requirements }: Project): Manager {
  const isPackage = folder.has('setup.py') || /^\[(?:project|build-system)\]/m.test(pyproject);
  const extra = /^\[project\.optional-dependencies\][^[]*?^(dev|test|tests)\s*=/ms.exec(pyproject)?.[1];
  const project = isPackage ? [`-e ${extra === undefined ? '.' : `'.[${extra}]'`}`] : [];
  const wanted = [...requirements.filter(isForWork).map((file) => `-r ${file}`), ...project];
  const from = [...requirements.filter(isForWork), ...(isPackage ? [packageFile(folder)] : [])].join(', ');
  const environment = { run: 'python3 -m venv .venv', from: 'an environment of its own' };
  const install =
    wanted.length === 0 ? [] : [{ run: `.venv/bin/python -m pip install ${wanted.join(' ')}`, from }];
  return { title: 'pip', install: [environment, ...install], runs: '.venv/bin/python -m' };
}

function packageFile(folder: Folder): string {
  return folder.has('pyproject.toml') ? 'pyproject.toml' : 'setup.py';
}

/** Leaves out those for documents or for one deployment. */
function isForWork(file: string): boolean {
  return /^requirements(?:[/_-](?:dev|develop|development|test|tests|testing|base|ci|lint))?\.txt$/.test(
    file,
  );
}

function runner({ runs, title }: Manager, program: string): string {
  const isModule = title !== 'pip' && program.startsWith('unittest');
  return isModule ? `${runs} python -m ${program}` : `${runs} ${program}`;
}

interface FoundTest {
  readonly setup?: readonly FoundCommand[];
  readonly verifier: FoundCommand;
}

function testOf(folder: Folder, project: Project, manager: Manager): FoundTest | undefined {
  const tests = folder.matching(/^(?:[\w./-]+\/)?(?:test_[\w-]+|[\w-]+_test)\.py$/);
  if (isNamed('pytest', project.named) && (tests.length > 0 || /\[tool\.pytest/.test(project.pyproject)))
    return { verifier: { run: runner(manager, 'pytest'), from: 'pytest among the dependencies' } };
  if (folder.has('noxfile.py')) return environments(manager, 'nox', 'noxfile.py');
  if (folder.has('tox.ini')) return environments(manager, 'tox', 'tox.ini');
  const [first] = tests;
  if (first === undefined) return undefined;
  return { verifier: { run: runner(manager, discovery(folder, first)), from: `tests such as ${first}` } };
}

/** Says where tests are: by itself unittest finds only those in packages, in files named test*.py. */
function discovery(folder: Folder, test: string): string {
  const [, place = ''] = /^(.*)\/[^/]+$/.exec(test) ?? [];
  const start = place === '' || folder.has(`${place}/__init__.py`) ? '' : ` -s ${place}`;
  const pattern = test.endsWith('_test.py') ? " -p '*_test.py'" : '';
  return start + pattern === '' ? 'unittest' : `unittest discover${start}${pattern}`;
}

/** They make environments of their own, which needs the registries, so setup does it. */
function environments(manager: Manager, program: 'nox' | 'tox', file: string): FoundTest {
  const [make, use] =
    program === 'nox'
      ? ['--reuse-existing-virtualenvs --install-only', '--reuse-existing-virtualenvs --no-install']
      : ['run --notest', 'run --skip-pkg-install'];
  const install =
    manager.title === 'pip' ? [{ run: `${manager.runs} pip install ${program}`, from: file }] : [];
  const prepared = { run: `${manager.runs} ${program} ${make}`, from: file };
  const verifier = { run: `${manager.runs} ${program} ${use}`, from: file };
  return { setup: [...install, prepared], verifier };
}

function lintOf(folder: Folder, project: Project, manager: Manager): FoundCommand | undefined {
  if (isNamed('ruff', project.named)) return { run: runner(manager, 'ruff check .'), from: named('ruff') };
  if (isNamed('flake8', project.named)) return { run: runner(manager, 'flake8'), from: named('flake8') };
  if (!isNamed('pylint', project.named) || !folder.has('.pylintrc')) return undefined;
  return { run: runner(manager, 'pylint .'), from: named('pylint') };
}

function typesOf(folder: Folder, project: Project, manager: Manager): FoundCommand | undefined {
  if (isNamed('mypy', project.named)) {
    const says =
      /^\[tool\.mypy\][^[]*?^(?:files|packages)\s*=/ms.test(project.pyproject) || folder.has('mypy.ini');
    return { run: runner(manager, says ? 'mypy' : 'mypy .'), from: named('mypy') };
  }
  return isNamed('pyright', project.named)
    ? { run: runner(manager, 'pyright'), from: named('pyright') }
    : undefined;
}

const named = (program: string) => `${program} among the dependencies`;

/** Whether it is required, as by `"ruff>=0.5"`, `ruff = "^0.5"` or `ruff==0.5` on a line of its own. */
function isNamed(program: string, text: string): boolean {
  return new RegExp(`(?:^|["'\\s,\\[])${program}(?:\\[[\\w,-]+\\])?\\s*(?:$|["',;=<>~!\\s])`, 'm').test(
    text.replace(/^\s*#.*$/gm, '').replace(/^\s*\[.*\]\s*$/gm, ''),
  );
}
