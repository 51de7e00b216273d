import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { configPath } from '../../src/config/schema.ts';
import { look } from '../../src/onboarding/look-at-repository.ts';
import { configurationText } from '../../src/onboarding/setup-files.ts';
import { inMemory, manifest } from './in-memory.ts';

/** What a repository is taken for, in short. */
async function commands(files: Readonly<Record<string, string>>) {
  const { found, setup, verifiers } = await look(inMemory(files));
  return {
    found,
    setup: setup.map(({ run }) => run),
    verifiers: verifiers.map(({ name, run }) => `${name}: ${run}`),
  };
}

const dev = { devDependencies: { typescript: '5' } };
const scripts = manifest({ test: 'vitest run', lint: 'eslint .', typecheck: 'tsc', build: 'tsc -b' }, dev);

describe('a package of npm', () => {
  test.each([
    [
      'package-lock.json',
      'npm',
      'npm ci',
      ['npm test', 'npm run lint', 'npm run typecheck', 'npm run build'],
    ],
    [
      'pnpm-lock.yaml',
      'pnpm',
      'pnpm install --frozen-lockfile',
      ['pnpm test', 'pnpm lint', 'pnpm typecheck', 'pnpm build'],
    ],
    [
      'yarn.lock',
      'yarn',
      'yarn install --frozen-lockfile',
      ['yarn test', 'yarn lint', 'yarn typecheck', 'yarn build'],
    ],
    [
      'bun.lock',
      'bun',
      'bun install --frozen-lockfile',
      ['bun run test', 'bun run lint', 'bun run typecheck', 'bun run build'],
    ],
  ])('with %s uses %s', async (lock, manager, install, runs) => {
    expect(await commands({ 'package.json': scripts, [lock]: '' })).toEqual({
      found: [`TypeScript with ${manager}`],
      setup: [install],
      verifiers: ['test', 'lint', 'types', 'build'].map((name, index) => `${name}: ${runs[index]}`),
    });
  });

  test('names its manager where there are two lock files', async () => {
    const text = manifest({ test: 'x' }, { packageManager: 'pnpm@9.1.0' });
    const { setup } = await commands({ 'package.json': text, 'package-lock.json': '', 'pnpm-lock.yaml': '' });
    expect(setup).toEqual(['pnpm install --frozen-lockfile']);
  });

  test('of the later Yarn installs what its lock file says', async () => {
    const { setup } = await commands({ 'package.json': scripts, 'yarn.lock': '', '.yarnrc.yml': '' });
    expect(setup).toEqual(['yarn install --immutable']);
  });

  test('without dependencies has nothing to set up', async () => {
    expect((await commands({ 'package.json': manifest({ test: 'node --test' }) })).setup).toEqual([]);
  });

  test.each([
    ['what npm init writes', { test: 'echo "Error: no test specified" && exit 1' }],
    ['what watches', { test: 'vitest --watch' }],
    ['nothing', { test: ' ' }],
  ])('has no test in %s', async (_, given) => {
    expect((await commands({ 'package.json': manifest(given) })).verifiers).toEqual([]);
  });

  test('has the script for CI where the usual one watches', async () => {
    const text = manifest({ test: 'jest --watchAll', 'test:unit': 'jest --watchAll=false' });
    expect((await commands({ 'package.json': text })).verifiers).toEqual(['test: npm run test:unit']);
  });

  test('that is no JSON is told, not thrown', async () => {
    const { verifiers, notes } = await look(inMemory({ 'package.json': '{' }));
    expect(verifiers).toEqual([]);
    expect(notes).toEqual(['package.json is not valid JSON, so none of its scripts is used']);
  });
});

describe('a project in Python', () => {
  const pyproject = '[project]\nname = "x"\n[dependency-groups]\ndev = ["pytest>=8", "ruff", "mypy"]\n';
  const testFile = { 'tests/test_a.py': '' };

  test('with uv', async () => {
    expect(await commands({ 'pyproject.toml': pyproject, 'uv.lock': '', ...testFile })).toEqual({
      found: ['Python with uv'],
      setup: ['uv sync --locked'],
      verifiers: [
        'test: uv run --no-sync pytest',
        'lint: uv run --no-sync ruff check .',
        'types: uv run --no-sync mypy .',
      ],
    });
  });

  test('with Poetry', async () => {
    const text = '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n';
    expect(await commands({ 'pyproject.toml': text, 'poetry.lock': '', ...testFile })).toEqual({
      found: ['Python with Poetry'],
      setup: ['poetry install --no-interaction'],
      verifiers: ['test: poetry run pytest'],
    });
  });

  test('with requirements has an environment of its own', async () => {
    const files = {
      'requirements.txt': 'flask\n',
      'requirements-dev.txt': '# pytest\npytest==8.1\n',
      ...testFile,
    };
    expect(await commands(files)).toEqual({
      found: ['Python with pip'],
      setup: [
        'python3 -m venv .venv',
        '.venv/bin/python -m pip install -r requirements.txt -r requirements-dev.txt',
      ],
      verifiers: ['test: .venv/bin/python -m pytest'],
    });
  });

  test.each([
    ['tests/test_a.py', {}, 'unittest discover -s tests'],
    ['tests/test_a.py', { 'tests/__init__.py': '' }, 'unittest'],
    ['test_a.py', {}, 'unittest'],
    ['src/a_test.py', {}, "unittest discover -s src -p '*_test.py'"],
  ])('of which nobody says pytest is tested by unittest, which finds %s', async (test, more, run) => {
    const { verifiers } = await commands({ 'setup.py': '# pytest', [test]: '', ...more });
    expect(verifiers).toEqual([`test: .venv/bin/python -m ${run}`]);
  });

  test.each([
    ['tox.ini', '.venv/bin/python -m tox run --notest', '.venv/bin/python -m tox run --skip-pkg-install'],
    [
      'noxfile.py',
      '.venv/bin/python -m nox --reuse-existing-virtualenvs --install-only',
      '.venv/bin/python -m nox --reuse-existing-virtualenvs --no-install',
    ],
  ])('with %s has its environments made by setup, which has a network', async (file, make, use) => {
    const { setup, verifiers } = await commands({ [file]: '' });
    expect(setup.at(-1)).toBe(make);
    expect(verifiers).toEqual([`test: ${use}`]);
  });
});

test.each([
  [
    'Go',
    { 'go.mod': '', 'a_test.go': '' },
    ['go mod download'],
    ['test: go test ./...', 'lint: go vet ./...'],
  ],
  [
    'Rust',
    { 'Cargo.toml': '[workspace]\n', 'Cargo.lock': '' },
    ['cargo fetch --locked'],
    ['test: cargo test --locked --workspace'],
  ],
  [
    'Java with Maven',
    { 'pom.xml': '', mvnw: '' },
    ['./mvnw -B -q test -Dmaven.test.failure.ignore=true'],
    ['test: ./mvnw -B -o test'],
  ],
  [
    'Kotlin with Gradle',
    { 'build.gradle.kts': '', gradlew: '', 'src/main/kotlin/A.kt': '' },
    ['./gradlew --no-daemon test || true'],
    ['test: ./gradlew --no-daemon --offline test'],
  ],
  [
    '.NET',
    { 'a.sln': '', 'test/a.csproj': '<PackageReference Include="Microsoft.NET.Test.Sdk" />' },
    ['dotnet restore'],
    ['test: dotnet test --no-restore', 'build: dotnet build --no-restore'],
  ],
  [
    'Ruby with Bundler',
    { Gemfile: "gem 'rspec'\ngem 'rubocop'\n", '.rubocop.yml': '', 'spec/a_spec.rb': '' },
    ['bundle install'],
    ['test: bundle exec rspec', 'lint: bundle exec rubocop'],
  ],
  [
    'Ruby with Bundler',
    { Gemfile: '', Rakefile: "require 'rake/testtask'\nRake::TestTask.new\n" },
    ['bundle install'],
    ['test: bundle exec rake test'],
  ],
  [
    'PHP with Composer',
    {
      'composer.json':
        '{"scripts": {"post-install-cmd": ["echo {}", "lint"], "test": "phpunit", "analyse": ["phpstan"]}}',
    },
    ['composer install --no-interaction --no-progress'],
    ['test: composer test', 'types: composer analyse'],
  ],
])('%s', async (title, files, setup, verifiers) => {
  expect(await commands(files as Record<string, string>)).toEqual({ found: [title], setup, verifiers });
});

describe('a Makefile', () => {
  const makefile = 'test := 1\ntest: build\n\tgo test -race ./...\nlint:\n\ttrue\n';

  test('counts where nothing else does', async () => {
    expect(await commands({ Makefile: makefile })).toEqual({
      found: [],
      setup: [],
      verifiers: ['test: make test', 'lint: make lint'],
    });
  });

  test('counts where CI calls it instead of what the language has', async () => {
    const ci = 'jobs: { a: { steps: [{ run: "make test" }] } }';
    const files = { 'go.mod': '', 'a_test.go': '', Makefile: makefile };
    expect((await commands(files)).verifiers[0]).toBe('test: go test ./...');
    const { verifiers } = await commands({ ...files, '.github/workflows/ci.yml': ci });
    expect(verifiers).toEqual(['test: make test', 'lint: go vet ./...']);
  });

  test('does not count where CI calls both', async () => {
    const ci = 'jobs: { a: { steps: [{ run: "make test" }, { run: "go test ./..." }] } }';
    const files = { 'go.mod': '', 'a_test.go': '', Makefile: makefile, '.github/workflows/ci.yml': ci };
    expect((await commands(files)).verifiers[0]).toBe('test: go test ./...');
  });

  test('that only sets a variable of that name has no such target', async () => {
    expect((await commands({ Makefile: 'test := yes\n' })).verifiers).toEqual([]);
  });
});

describe('several projects', () => {
  test('at the root are all verified, under different names', async () => {
    const files = { 'package.json': manifest({ test: 'x' }), 'go.mod': '', 'a_test.go': '' };
    expect((await commands(files)).verifiers).toEqual([
      'test-node: npm test',
      'test-go: go test ./...',
      'lint: go vet ./...',
    ]);
  });

  test('below the root are set up where they are', async () => {
    const files = {
      'web/package.json': manifest({ test: 'x' }),
      'web/package-lock.json': '',
      'api/go.mod': '',
      'api/a_test.go': '',
      'examples/b/package.json': manifest({ test: 'x' }),
      'web/node_modules/c/package.json': manifest({ test: 'x' }),
    };
    expect(await commands(files)).toEqual({
      found: ['Go in api/', 'JavaScript with npm in web/'],
      setup: ['cd api && go mod download', 'cd web && npm ci'],
      verifiers: [
        'test-api: cd api && go test ./...',
        'test-web: cd web && npm test',
        'lint: cd api && go vet ./...',
      ],
    });
    expect((await look(inMemory(files))).notes).toContain(
      'there are 2 projects, none of them at the root: all of them are set up',
    );
  });

  test('have names that a configuration accepts, whatever their folders are called', async () => {
    const folders = ['a'.repeat(80), 'Web', 'web', '_x_', "it's $(id)"];
    for (const path of folders) {
      const files = {
        [`${path}/package.json`]: scripts,
        'web/go.mod': '',
        'web/a_test.go': '',
        'b/go.mod': '',
      };
      const findings = await look(inMemory({ ...files, 'Web/package.json': scripts }));
      const text = configurationText(findings, 'claude');
      expect(readConfig(text, { path: configPath, ref: 'main' }).outcome).toBe('configured');
    }
  });

  test('beyond the first four are only named', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const files = Object.fromEntries(names.map((name) => [`${name}/go.mod`, '']));
    const { setup, notes } = await look(inMemory(files));
    expect(setup).toHaveLength(4);
    expect(notes.at(-1)).toBe(
      'there are 6 projects, none of them at the root: the first 4 are set up, and not e/, f/',
    );
  });
});

test('what CI runs besides is told', async () => {
  const ci =
    'jobs: { a: { steps: [{ run: "npm ci\\nnpm test -- --coverage\\nnpm run e2e" }, { run: "npm run deploy" }] } }';
  const files = { 'package.json': manifest({ test: 'x', e2e: 'y' }), '.github/workflows/ci.yml': ci };
  expect((await look(inMemory(files))).notes).toEqual(['.github/workflows/ci.yml also runs `npm run e2e`']);
});

test.each([
  ['with options', { 'Cargo.toml': '' }, 'cargo test --workspace'],
  ['by its long name', { 'package.json': manifest({ test: 'x' }) }, 'npm run test'],
  ['in its own folder', { 'web/package.json': manifest({ test: 'x' }) }, 'npm test'],
])('a verifier that CI runs %s is not told again', async (_how, files, run) => {
  const ci = JSON.stringify({ jobs: { a: { steps: [{ run }] } } });
  const { verifiers, notes } = await look(inMemory({ ...files, '.github/workflows/ci.yml': ci }));
  expect(verifiers.map(({ name }) => name)).toContain('test');
  expect(notes.join()).not.toContain('also run');
});

test('a repository of text has no commands', async () => {
  expect(await look(inMemory({ 'README.md': '# x' }))).toEqual({
    ...{ found: [], setup: [], verifiers: [], needs: [], notes: [] },
  });
});
