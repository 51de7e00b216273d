import type { Ecosystem, FoundCommand } from './findings.ts';
import type { Folder } from './repository-files.ts';

/** A module of Go. */
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

/** A package or a workspace of Rust. */
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

/** A project of Java, Kotlin or Scala, built by Maven or Gradle. */
export async function java(folder: Folder): Promise<Ecosystem | undefined> {
  const language = folder.matching(/\.kts?$/).some((file) => file.startsWith('src/')) ? 'Kotlin' : 'Java';
  if (folder.has('pom.xml')) return maven(folder, language);
  const from = ['build.gradle.kts', 'build.gradle'].find((name) => folder.has(name));
  if (from === undefined) return undefined;
  const gradle = `${folder.has('gradlew') ? './gradlew' : 'gradle'} --no-daemon`;
  return {
    title: `${language} with Gradle`,
    short: 'java',
    // Like Maven; afterwards Gradle does again only what has failed.
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

/** A solution or project of .NET. */
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
