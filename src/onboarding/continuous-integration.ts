import { load, YAMLException } from 'js-yaml';
import type { FoundVerifier, RepositoryFiles } from './ecosystems/ecosystem.ts';

/** A command that the repository's own workflows run. */
export interface WorkflowCommand {
  readonly run: string;
  /** Where the workflow is that runs it. */
  readonly path: string;
}

/** Only so many are read. */
const maxWorkflows = 20;

/** Reads the commands of all workflows but ours, one for each line of a script. */
export async function workflowCommands(
  repository: RepositoryFiles,
  all: readonly string[],
): Promise<readonly WorkflowCommand[]> {
  const paths = all.filter((path) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path)).slice(0, maxWorkflows);
  const read = await Promise.all(
    paths.map(async (path) => commandsIn(path, (await repository.read(path)) ?? '')),
  );
  return read.flat();
}

function commandsIn(path: string, text: string): readonly WorkflowCommand[] {
  return scriptsIn(workflowDocument(text)).flatMap((script) =>
    script
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((run) => ({ run, path })),
  );
}

/** What a workflow says, of whatever shape; undefined if it is no YAML, and so no workflow. */
export function workflowDocument(text: string): unknown {
  try {
    return load(text, { maxAliases: 100, maxDepth: 50 });
  } catch (fault) {
    if (fault instanceof YAMLException) return undefined;
    throw fault;
  }
}

/** Collects the values of `run`, wherever they are. */
function scriptsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(scriptsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'run' && typeof inner === 'string' ? [inner] : scriptsIn(inner),
  );
}

/** What looks as if it tells whether the work is right. */
const judging = [
  /^(?:npm|pnpm|yarn|bun)(?: run)? [\w:.-]*(?:test|lint|check|type|build|e2e|format)[\w:.-]*$/,
  /^(?:make|just) \w[\w-]*$/,
  /^(?:uv run |poetry run )?(?:pytest|ruff|mypy|flake8|black --check|tox|nox)\b/,
  /^cargo (?:test|clippy|fmt|check)\b/,
  /^go (?:test|vet)\b/,
  /^golangci-lint\b/,
  /^\.\/gradlew [\w -]+$/,
  /^bundle exec \w/,
  /^composer [\w:-]+$/,
];

/** Longer ones are programs rather than commands. */
const longest = 100;

/** How many are named. */
const maxNamed = 5;

/** What the repository's own CI runs besides: whoever reads it knows whether it belongs to the verifiers. */
export function notesOnCi(
  verifiers: readonly FoundVerifier[],
  workflows: readonly WorkflowCommand[],
): readonly string[] {
  const isKnown = ({ run }: WorkflowCommand) =>
    /\$\{\{|\binstall\b|^npm ci\b/.test(run) || verifiers.some((each) => isSame(each.run, run));
  const more = workflows.filter((each) => isJudging(each) && !isKnown(each));
  const runs = [...new Set(more.map(({ run }) => run))].slice(0, maxNamed);
  if (runs.length === 0) return [];
  const paths = [...new Set(more.map(({ path }) => path))];
  const what = runs.map((run) => `\`${run}\``).join(', ');
  return [`${paths.slice(0, 2).join(' and ')} also run${paths.length === 1 ? 's' : ''} ${what}`];
}

/** `npm run test` is `npm test`; options that CI adds make no other command. */
function isSame(verifier: string, run: string): boolean {
  const plain = (text: string) =>
    text.replace(/^npm run test\b/, 'npm test').replace(/^(pnpm|yarn) run /, '$1 ');
  const [one, other] = [plain(verifier), plain(run)];
  return one === other || other.startsWith(`${one} -`) || one.endsWith(` ${other}`);
}

function isJudging({ run }: WorkflowCommand): boolean {
  return run.length <= longest && judging.some((pattern) => pattern.test(run));
}
