import { coxswain } from '../git/author.ts';
import { git } from '../git/git.ts';
import { inside } from '../git/objects.ts';
import type { Artefact } from './attachments.ts';
import type { PlannedCommit } from './plan.ts';

/** Writes a batch of commits with one `git fast-import`, without a checkout; returns the last one. */
export async function writeCommits(
  dir: string,
  parent: string | undefined,
  commits: readonly PlannedCommit[],
): Promise<string> {
  const last = commits.length;
  const parts = commits.flatMap((commit, index) =>
    importOf(commit, index + 1, index === 0 ? parent : `:${index}`),
  );
  const input = Buffer.concat([...parts, `get-mark :${last}\n`, 'done\n'].map((part) => Buffer.from(part)));
  const output = await git(
    ['-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet', '--force', '--done', '--date-format=raw'],
    {
      ...inside(dir),
      input,
    },
  );
  return output.trim();
}

const scratch = 'refs/coxswain/writing';

function importOf(commit: PlannedCommit, mark: number, parent: string | undefined): readonly string[] {
  return [
    ...(parent === undefined ? [`reset ${scratch}\n\n`] : []),
    `commit ${scratch}\nmark :${mark}\n`,
    `committer ${coxswain.name} <${coxswain.email}> ${commit.at} +0000\n`,
    counted(commit.message),
    ...(parent === undefined ? [] : [`from ${parent}\n`]),
    ...fileOf({ path: 'state.json', content: `${JSON.stringify(commit.state, undefined, 2)}\n` }),
    ...fileOf({ path: 'events.jsonl', content: commit.log }),
    ...commit.artefacts.flatMap(fileOf),
    '\n',
  ];
}

function fileOf({ path, content }: Artefact): readonly string[] {
  const name = path.startsWith('"') ? JSON.stringify(path) : path;
  return [`M 100644 inline ${name}\n`, counted(content)];
}

function counted(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
