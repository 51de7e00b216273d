import { load } from 'js-yaml';
import type { RepositoryFiles } from './repository-files.ts';

/** A command that the repository's own workflows run. */
export interface WorkflowCommand {
  readonly run: string;
  /** The workflow's path. */
  readonly path: string;
}

/** Only so many are read. */
const maxWorkflows = 20;

/** The commands of all workflows but ours, one for each line of a script. */
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
  return scriptsIn(documentIn(text)).flatMap((script) =>
    script
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((run) => ({ run, path })),
  );
}

function documentIn(text: string): unknown {
  try {
    return load(text, { maxAliases: 100, maxDepth: 50 });
  } catch {
    return undefined; // what is no YAML is no workflow either
  }
}

/** The values of `run`, wherever they are. */
function scriptsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(scriptsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'run' && typeof inner === 'string' ? [inner] : scriptsIn(inner),
  );
}
