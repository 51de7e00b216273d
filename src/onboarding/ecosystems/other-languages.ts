import { type Ecosystem, type Folder, type FoundCommand, recordFrom, recordIn } from './ecosystem.ts';

/** Looks for a module of Go. */
export async function go(folder: Folder): Promise<Ecosystem | undefined> {
  if (!folder.has('go.mod')) return undefined;
  const from = 'go.mod';
  const tests = folder.matching(/_test\.go$/).length > 0;
  return {
    title: 'Go',
    short: 'go',
    setup: [{ run: 'go mod download', from }],
    verifiers: {
      test: tests ? { run: 'go test ./...', from } : undefined,
      build: tests ? undefined : { run: 'go build ./...', from },
      lint: { run: 'go vet ./...', from },
    },
    notes: tests ? [] : ['there is no file *_test.go, so nothing is tested'],
  };
}

/** Looks for a package or a workspace of Rust. */
export async function rust(folder: Folder): Promise<Ecosystem | undefined> {
  if (!folder.has('Cargo.toml')) return undefined;
  const isWorkspace = /^\[workspace\]/m.test(await folder.text('Cargo.toml'));
  const from = folder.has('Cargo.lock') ? 'Cargo.lock' : 'Cargo.toml';
  const flags = `${from === 'Cargo.lock' ? ' --locked' : ''}${isWorkspace ? ' --workspace' : ''}`;
  return {
    title: 'Rust',
    short: 'rust',
    setup: [{ run: `cargo fetch${from === 'Cargo.lock' ? ' --locked' : ''}`, from }],
    verifiers: { test: { run: `cargo test${flags}`, from: 'Cargo.toml' } },
  };
}

/** Looks for a project of Java, Kotlin or Scala, built by Maven or Gradle. */
export async function java(folder: Folder): Promise<Ecosystem | undefined> {
  const language = folder.matching(/\.kts?$/).some((file) => file.startsWith('src/')) ? 'Kotlin' : 'Java';
  if (folder.has('pom.xml')) return maven(folder, language);
  const from = ['build.gradle.kts', 'build.gradle'].find((name) => folder.has(name));
  if (from === undefined) return undefined;
  const gradle = `${folder.has('gradlew') ? './gradlew' : 'gradle'} --no-daemon`;
  return {
    title: `${language} with Gradle`,
    short: 'java',
    // It fetches as Maven does; afterwards Gradle does again only what has failed.
    setup: [{ run: `${gradle} test || true`, from: fetching(from) }],
    verifiers: { test: { run: `${gradle} --offline test`, from } },
  };
}

const fetching = (file: string) => `${file}: fetches what the tests need, whatever they say`;

function maven(folder: Folder, language: string): Ecosystem {
  const run = `${folder.has('mvnw') ? './mvnw' : 'mvn'} -B`;
  const from = 'pom.xml';
  return {
    title: `${language} with Maven`,
    short: 'java',
    // Maven fetches what runs tests only when it runs them, so setup, which has a network, does so once.
    setup: [{ run: `${run} -q test -Dmaven.test.failure.ignore=true`, from: fetching(from) }],
    verifiers: { test: { run: `${run} -o test`, from } },
  };
}

/** Looks for a solution or project of .NET. */
export async function dotnet(folder: Folder): Promise<Ecosystem | undefined> {
  const [project] = [...folder.matching(/^[^/]+\.slnx?$/), ...folder.matching(/^[^/]+\.(?:cs|fs|vb)proj$/)];
  if (project === undefined) return undefined;
  const tested = await testProject(folder);
  const build: FoundCommand = { run: 'dotnet build --no-restore', from: project };
  return {
    title: '.NET',
    short: 'dotnet',
    setup: [{ run: 'dotnet restore', from: project }],
    verifiers: {
      test: tested === undefined ? undefined : { run: 'dotnet test --no-restore', from: tested },
      build,
    },
    notes: tested === undefined ? ['no project refers to Microsoft.NET.Test.Sdk, so nothing is tested'] : [],
  };
}

/** Only so many are read. */
const maxProjects = 30;

async function testProject(folder: Folder): Promise<string | undefined> {
  const projects = folder.matching(/\.(?:cs|fs|vb)proj$/);
  for (const path of projects.slice(0, maxProjects))
    if (/Microsoft\.NET\.Test\.Sdk/i.test(await folder.text(path))) return path;
  return undefined;
}

/** Looks for a project in Ruby with a Gemfile. */
export async function ruby(folder: Folder): Promise<Ecosystem | undefined> {
  if (!folder.has('Gemfile')) return undefined;
  const gems = `${await folder.text('Gemfile')}\n${await folder.text('Gemfile.lock')}`;
  const test = await rubyTest(folder, gems);
  const hasCop = folder.has('.rubocop.yml') && /\brubocop\b/.test(gems);
  return {
    title: 'Ruby with Bundler',
    short: 'ruby',
    setup: [{ run: 'bundle install', from: folder.has('Gemfile.lock') ? 'Gemfile.lock' : 'Gemfile' }],
    verifiers: {
      test,
      lint: hasCop ? { run: 'bundle exec rubocop', from: '.rubocop.yml' } : undefined,
    },
  };
}

async function rubyTest(folder: Folder, gems: string): Promise<FoundCommand | undefined> {
  if (/\brspec\b|\brspec-rails\b/.test(gems) && folder.matching(/^spec\/.*_spec\.rb$/).length > 0)
    return { run: 'bundle exec rspec', from: 'rspec in the Gemfile' };
  if (folder.has('bin/rails') && folder.matching(/^test\/.*_test\.rb$/).length > 0)
    return { run: 'bin/rails test', from: 'bin/rails' };
  const tasks = await folder.text('Rakefile');
  const hasTask = /Rake::TestTask|Minitest::TestTask|\btask\s*\(?[:"']?test\b/.test(tasks);
  return hasTask ? { run: 'bundle exec rake test', from: 'task "test" in Rakefile' } : undefined;
}

/** Looks for a project in PHP with a composer.json. */
export async function php(folder: Folder): Promise<Ecosystem | undefined> {
  if (!folder.has('composer.json')) return undefined;
  const text = await folder.text('composer.json');
  const scripts = recordIn(recordFrom(text)?.['scripts']) ?? {};
  const script = (...names: readonly string[]): FoundCommand | undefined => {
    const name = names.find((each) => Object.hasOwn(scripts, each));
    return name === undefined
      ? undefined
      : { run: `composer ${name}`, from: `script "${name}" in composer.json` };
  };
  const test = script('test', 'tests', 'phpunit', 'pest') ?? phpunit(folder, text);
  const lint = script('lint', 'cs', 'phpcs', 'check-style', 'style');
  const types = script('analyse', 'analyze', 'phpstan', 'stan', 'psalm', 'types');
  return {
    title: 'PHP with Composer',
    short: 'php',
    setup: [
      {
        run: 'composer install --no-interaction --no-progress',
        from: folder.has('composer.lock') ? 'composer.lock' : 'composer.json',
      },
    ],
    verifiers: { test, lint, types },
  };
}

function phpunit(folder: Folder, text: string): FoundCommand | undefined {
  const from = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find((name) => folder.has(name));
  if (from === undefined || !text.includes('"phpunit/phpunit"')) return undefined;
  return { run: 'vendor/bin/phpunit', from };
}
