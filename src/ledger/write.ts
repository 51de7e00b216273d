import { type CommitParts, commitId, commitObject, signatureAt } from '../git/commit-object.ts';
import { git } from '../git/git.ts';
import { inside } from '../git/objects.ts';
import type { Artefact } from './attachments.ts';
import { messageOf, textAbove } from './message.ts';
import type { PlannedCommit } from './plan.ts';
import type { SealedCommit } from './seal.ts';

/** The seal for a commit that is about to be written; undefined where ledgers are not sealed. */
export type SealCommit = (commit: Omit<SealedCommit, 'repositoryId' | 'number'>) => string | undefined;

/**
 * Writes a batch of commits without a checkout; returns the last one. A seal names the tree and the parent,
 * so the trees are written first and the messages afterwards: two runs of `git fast-import` for any number
 * of commits.
 */
export async function writeCommits(
  { dir, seal }: { readonly dir: string; readonly seal: SealCommit },
  parent: string | undefined,
  commits: readonly PlannedCommit[],
): Promise<string> {
  const trees = await writeTrees(dir, parent, commits);
  let last = parent ?? null;
  const parts: (CommitParts & { readonly at: number })[] = [];
  for (const [index, commit] of commits.entries()) {
    const tree = trees[index];
    if (tree === undefined)
      throw new Error(`git fast-import wrote ${trees.length} of ${commits.length} trees`);
    const written = {
      tree,
      parent: last,
      message: sealed(commit, { tree, parent: last }, seal),
      at: commit.at,
    };
    parts.push(written);
    last = commitId(commitObject(written, signatureAt(commit.at)), tree);
  }
  const output = await fastImport(dir, [...parts.flatMap(importOf), `get-mark :${parts.length}\n`]);
  if (output.trim() !== last) throw new Error(`git fast-import wrote ${output.trim()}, expected ${last}`);
  return last;
}

function sealed(
  { state, text, log, namespace, ...commit }: PlannedCommit,
  place: Pick<CommitParts, 'tree' | 'parent'>,
  seal: SealCommit,
): string {
  const { seq } = state;
  const parts = { ...commit.message, seq };
  const above = textAbove(parts);
  return messageOf(parts, seal({ ...place, namespace, seq, event: parts.event, state: text, log, above }));
}

const scratch = 'refs/coxswain/writing';

/** The tree of every commit, written with commits that nothing will refer to. */
async function writeTrees(
  dir: string,
  parent: string | undefined,
  commits: readonly PlannedCommit[],
): Promise<readonly string[]> {
  const output = await fastImport(
    dir,
    commits.flatMap(({ at, text, log, artefacts }, index) => [
      ...begin({ at, message: '' }, { mark: index + 1, from: index === 0 ? (parent ?? null) : `:${index}` }),
      ...fileOf({ path: 'state.json', content: text }),
      ...fileOf({ path: 'events.jsonl', content: log }),
      ...artefacts.flatMap(fileOf),
      `\nls :${index + 1} ""\n`,
    ]),
  );
  return [...output.matchAll(/^040000 tree ([0-9a-f]+)\t/gm)].map(([, tree = '']) => tree);
}

function importOf(commit: CommitParts & { readonly at: number }, index: number): readonly string[] {
  const from = index === 0 ? commit.parent : `:${index}`;
  return [...begin(commit, { mark: index + 1, from }), `M 040000 ${commit.tree} ""\n`, '\n'];
}

function begin(
  { at, message }: { readonly at: number; readonly message: string },
  { mark, from }: { readonly mark: number; readonly from: string | null },
): readonly string[] {
  return [
    ...(from === null ? [`reset ${scratch}\n\n`] : []),
    `commit ${scratch}\nmark :${mark}\n`,
    `committer ${signatureAt(at)}\n`,
    counted(message),
    ...(from === null ? [] : [`from ${from}\n`]),
  ];
}

async function fastImport(dir: string, lines: readonly string[]): Promise<string> {
  const input = Buffer.concat([...lines, 'done\n'].map((part) => Buffer.from(part)));
  const command = ['fast-import', '--quiet', '--force', '--done', '--date-format=raw'];
  return git(['-c', 'fastimport.unpackLimit=1', ...command], { ...inside(dir), input });
}

function fileOf({ path, content }: Artefact): readonly string[] {
  const name = path.startsWith('"') ? JSON.stringify(path) : path;
  return [`M 100644 inline ${name}\n`, counted(content)];
}

function counted(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
