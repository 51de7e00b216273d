import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nowMs } from '../measure/clock.ts';
import { changedFiles, line } from './task.ts';

/**
 * One iteration as a shell script: the Git commands that are needed to reach the same result, in the order in
 * which a run executes them. Whatever a run executes beyond these (`git_commands` counts all) is our overhead.
 * Worktrees are removed after the clock has stopped.
 */
const iteration = `set -eu
record() { # commits to the ledger and pushes it together with $CODE
  old=$(cat "$FOLDER/head")
  { printf 'commit refs/ledger\\nmark :1\\n'
    printf 'committer Coxswain <coxswain@noreply.invalid> %s +0000\\n' "$(date +%s)"
    printf 'data <<END\\n%s\\nEND\\nfrom %s\\n' "$1" "$old"
    printf 'M 100644 inline state.json\\ndata %s\\n' "$STATE_BYTES"; cat "$FOLDER/state.json"
    printf '\\nM 100644 inline events.jsonl\\ndata %s\\n' "$STATE_BYTES"; cat "$FOLDER/state.json"
    printf '\\nget-mark :1\\ndone\\n'
  } | git --git-dir="$LEDGER" -c fastimport.unpackLimit=1 fast-import --quiet --force --done > "$FOLDER/head"
  new=$(cat "$FOLDER/head"); shift
  git --git-dir="$LEDGER" push --quiet --atomic --force-with-lease="$REF:$old" "$@" "$URL" "$new:$REF" $CODE
}
CODE=
record 'Start an iteration'
git --git-dir="$MIRROR" fetch --quiet --prune "$URL" '+refs/heads/*:refs/heads/*'
head=$(git --git-dir="$MIRROR" rev-parse "refs/heads/$BRANCH")
record 'Start an attempt'

git --git-dir="$MIRROR" -c checkout.workers=0 worktree add --quiet --detach "$FOLDER/tree" "$head"
for file in $FILES; do printf '%s' "$LINE" >> "$FOLDER/tree/$file"; done
git -C "$FOLDER/tree" add --all
git -C "$FOLDER/tree" commit --quiet -m 'Append a line to five files'
made=$(git -C "$FOLDER/tree" rev-parse HEAD)
git --git-dir="$MIRROR" diff --raw --numstat --find-renames "$head...$made" > "$FOLDER/changes"
CODE="$made:refs/heads/$BRANCH"
export GIT_ALTERNATE_OBJECT_DIRECTORIES="$MIRROR/objects"
record 'Finish the work' --force-with-lease="refs/heads/$BRANCH:$head"

git --git-dir="$MIRROR" -c checkout.workers=0 worktree add --quiet --detach "$FOLDER/verify" "$made"
(cd "$FOLDER/verify" && sh -c true)
git --git-dir="$MIRROR" diff --raw --numstat --find-renames "refs/heads/main...$made" > "$FOLDER/changes"
CODE=
record 'Verify'

echo recorded
rm -rf "$FOLDER/tree" "$FOLDER/verify"
git --git-dir="$MIRROR" worktree prune
`;

interface ScriptSettings {
  /** The address of a repository that only this script uses. */
  readonly url: string;
  readonly token: string;
  /** An empty folder. */
  readonly folder: string;
}

/** Runs one iteration and returns how many milliseconds it took. */
export type Script = () => Promise<number>;

const branch = 'coxswain/floor';
const ref = 'refs/coxswain/open/1';

/** Creates what a run has before it is steered: a mirror, a branch and a ledger. */
export async function prepareScript({ url, token, folder }: ScriptSettings): Promise<Script> {
  const env = environmentOf(folder, { url, token });
  const git = async (...args: readonly string[]) => (await run('git', args, { env })).stdout.trim();
  await mkdir(folder, { recursive: true });
  await git('init', '--quiet', '--bare', env.MIRROR);
  await git('--git-dir', env.MIRROR, 'fetch', '--quiet', url, '+refs/heads/*:refs/heads/*');
  await git('--git-dir', env.MIRROR, 'push', '--quiet', url, `refs/heads/main:refs/heads/${branch}`);
  await git('init', '--quiet', '--bare', env.LEDGER);
  // About as long as the state of a run after a few iterations.
  await writeFile(join(folder, 'state.json'), `${'{ "standing": "awaiting_approval" }\n'.repeat(300)}`);
  const empty = await git('--git-dir', env.LEDGER, 'hash-object', '-t', 'tree', '-w', '/dev/null');
  const root = await git('--git-dir', env.LEDGER, 'commit-tree', empty, '-m', 'Start');
  await git('--git-dir', env.LEDGER, 'push', '--quiet', url, `${root}:${ref}`);
  await writeFile(join(folder, 'head'), root);
  await writeFile(join(folder, 'iteration.sh'), iteration);
  const bytes = (await readFile(join(folder, 'state.json'))).length;
  return () => runScript(join(folder, 'iteration.sh'), { ...env, STATE_BYTES: String(bytes) });
}

const run = promisify(execFile);

async function runScript(script: string, env: NodeJS.ProcessEnv): Promise<number> {
  const began = nowMs();
  const shell = spawn('sh', [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(shell, 'exit');
  const failed = ended.then(([code]) => {
    if (code !== 0) throw new Error(`the script ended with ${code}`);
  });
  await Promise.race([once(shell.stdout, 'data'), failed]);
  const ms = nowMs() - began;
  await failed;
  return ms;
}

function environmentOf(folder: string, { url, token }: { url: string; token: string }) {
  const credentials = Buffer.from(`x-access-token:${token}`).toString('base64');
  return {
    PATH: process.env['PATH'],
    HOME: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credentials}`,
    GIT_CONFIG_KEY_1: 'gc.auto',
    GIT_CONFIG_VALUE_1: '0',
    GIT_AUTHOR_NAME: 'Coxswain',
    GIT_AUTHOR_EMAIL: 'coxswain@noreply.invalid',
    GIT_COMMITTER_NAME: 'Coxswain',
    GIT_COMMITTER_EMAIL: 'coxswain@noreply.invalid',
    FOLDER: folder,
    MIRROR: join(folder, 'mirror.git'),
    LEDGER: join(folder, 'ledger.git'),
    URL: url,
    REF: ref,
    BRANCH: branch,
    FILES: changedFiles.join(' '),
    LINE: line,
  };
}
