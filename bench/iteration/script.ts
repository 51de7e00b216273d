import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nowMs } from '../stage/forge.ts';
import { changedFiles, line } from './task.ts';

/**
 * One iteration as a person would write it down for a shell: the Git commands that lead to the same end, in
 * the order in which a run executes them, and no more of them than it takes. What a run executes beyond these
 * (`git_commands` counts) is ours to answer for. Worktrees are removed when the clock has stopped.
 */
const iteration = `set -eu
record() { # a commit of the ledger, pushed with whatever else is named
  old=$(cat "$ROOM/tip")
  { printf 'commit refs/ledger\\nmark :1\\n'
    printf 'committer Coxswain <coxswain@noreply.invalid> %s +0000\\n' "$(date +%s)"
    printf 'data <<END\\n%s\\nEND\\nfrom %s\\n' "$1" "$old"
    printf 'M 100644 inline state.json\\ndata %s\\n' "$STATE_BYTES"; cat "$ROOM/state.json"
    printf '\\nM 100644 inline events.jsonl\\ndata %s\\n' "$STATE_BYTES"; cat "$ROOM/state.json"
    printf '\\nget-mark :1\\ndone\\n'
  } | git --git-dir="$LEDGER" -c fastimport.unpackLimit=1 fast-import --quiet --force --done > "$ROOM/tip"
  new=$(cat "$ROOM/tip"); shift
  git --git-dir="$LEDGER" push --quiet --atomic --force-with-lease="$REF:$old" "$@" "$URL" "$new:$REF" $CODE
}
CODE=
record 'A person steers'
git --git-dir="$MIRROR" fetch --quiet --prune "$URL" '+refs/heads/*:refs/heads/*'
head=$(git --git-dir="$MIRROR" rev-parse "refs/heads/$BRANCH")
record 'An attempt starts'

git --git-dir="$MIRROR" -c checkout.workers=0 worktree add --quiet --detach "$ROOM/tree" "$head"
for file in $FILES; do printf '%s' "$LINE" >> "$ROOM/tree/$file"; done
git -C "$ROOM/tree" add --all
git -C "$ROOM/tree" commit --quiet -m 'One line more in five files.'
made=$(git -C "$ROOM/tree" rev-parse HEAD)
git --git-dir="$MIRROR" diff --raw --numstat --find-renames "$head...$made" > "$ROOM/changes"
CODE="$made:refs/heads/$BRANCH"
export GIT_ALTERNATE_OBJECT_DIRECTORIES="$MIRROR/objects"
record 'The work is done' --force-with-lease="refs/heads/$BRANCH:$head"

git --git-dir="$MIRROR" -c checkout.workers=0 worktree add --quiet --detach "$ROOM/verify" "$made"
(cd "$ROOM/verify" && sh -c true)
git --git-dir="$MIRROR" diff --raw --numstat --find-renames "refs/heads/main...$made" > "$ROOM/changes"
CODE=
record 'The verifiers have spoken'

echo recorded
rm -rf "$ROOM/tree" "$ROOM/verify"
git --git-dir="$MIRROR" worktree prune
`;

export interface ScriptSettings {
  /** Of a repository of its own, with a branch to work on. */
  readonly url: string;
  readonly token: string;
  /** An empty folder. */
  readonly room: string;
}

/** Plays the iteration; answers with its milliseconds. */
export type Script = () => Promise<number>;

const branch = 'coxswain/floor';
const ref = 'refs/coxswain/open/1';

/** Everything a run has before it is steered: a mirror, a branch, a ledger of some length. */
export async function prepareScript({ url, token, room }: ScriptSettings): Promise<Script> {
  const env = environmentOf(room, { url, token });
  const git = async (...args: readonly string[]) => (await run('git', args, { env })).stdout.trim();
  await mkdir(room, { recursive: true });
  await git('init', '--quiet', '--bare', env.MIRROR);
  await git('--git-dir', env.MIRROR, 'fetch', '--quiet', url, '+refs/heads/*:refs/heads/*');
  await git('--git-dir', env.MIRROR, 'push', '--quiet', url, `refs/heads/main:refs/heads/${branch}`);
  await git('init', '--quiet', '--bare', env.LEDGER);
  // As long as the state of a run with a few iterations behind it.
  await writeFile(join(room, 'state.json'), `${'{ "standing": "awaiting_approval" }\n'.repeat(300)}`);
  const empty = await git('--git-dir', env.LEDGER, 'hash-object', '-t', 'tree', '-w', '/dev/null');
  const root = await git('--git-dir', env.LEDGER, 'commit-tree', empty, '-m', 'The run begins');
  await git('--git-dir', env.LEDGER, 'push', '--quiet', url, `${root}:${ref}`);
  await writeFile(join(room, 'tip'), root);
  await writeFile(join(room, 'iteration.sh'), iteration);
  const bytes = (await readFile(join(room, 'state.json'))).length;
  return () => play(join(room, 'iteration.sh'), { ...env, STATE_BYTES: String(bytes) });
}

const run = promisify(execFile);

async function play(script: string, env: NodeJS.ProcessEnv): Promise<number> {
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

function environmentOf(room: string, { url, token }: { url: string; token: string }) {
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
    ROOM: room,
    MIRROR: join(room, 'mirror.git'),
    LEDGER: join(room, 'ledger.git'),
    URL: url,
    REF: ref,
    BRANCH: branch,
    FILES: changedFiles.join(' '),
    LINE: line,
  };
}
