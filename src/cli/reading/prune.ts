import { join } from 'node:path';
import { git, type Remote } from '../../git/git.ts';
import { inside } from '../../git/objects.ts';
import { pushRefs } from '../../git/remote.ts';
import { inTemporaryFolder } from '../../git/temporary-folder.ts';
import { ledgerRef } from '../../ledger/format.ts';
import { type ListedLedger, listLedgers } from '../../ledger/list-ledgers.ts';
import { confirmed } from '../terminal/ask-person.ts';
import type { CommandFile } from '../terminal/command-file.ts';
import { formatOf, outputOption, print, table } from '../terminal/command-output.ts';
import { Ended, exitCodes, UsageError } from '../terminal/exit.ts';
import { type Person, personOn } from '../terminal/signed-in-person.ts';
import { type RepositoryPlace, repositoryNamed } from '../terminal/which-run.ts';

interface Options {
  readonly older: string;
  readonly repo?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly output: string;
}

export const prune: CommandFile<Options> = {
  about:
    'Deletes the ledgers of runs that ended long ago. Those of open runs are never touched, nor those for which ' +
    'something is still to be done. What their pull requests show stays; what a deleted ledger held is gone, so ' +
    '`coxswain export` comes first. It needs write access.',
  takes: (command) => {
    command
      .requiredOption('--older <age>', 'how long ago they ended at least: days as 90d, or hours as 36h')
      .option('--repo <owner/name>', 'of this repository (default: that of the clone in this folder)')
      .option('--dry-run', 'only list them')
      .option('--yes', 'delete them without asking');
    outputOption(command);
  },
  examples: {
    'prune --older 90d --dry-run': 'what would be deleted in this repository',
    'prune --older 365d --repo acme/api --yes': 'in a script',
  },
  run: pruned,
};

async function pruned({ older, repo, dryRun, yes, output }: Options): Promise<number> {
  formatOf(output, fields);
  const age = ageIn(older);
  const place = await repositoryNamed(repo);
  const person = await personOn(place.web);
  if (!dryRun) await requireWrite(person, place);
  return inTemporaryFolder('prune', async (folder) => {
    const { web, owner, repo: name } = place;
    const remote = { url: `${web}/${owner}/${name}.git`, token: async () => person.token };
    const dir = join(folder, 'ledgers.git');
    const ended = (await endedLedgers(dir, remote)).filter(({ at }) => Date.now() - at > age);
    const rows = ended.map(({ ref, at }) => [ref, new Date(at).toISOString().slice(0, 10)]);
    const value = ended.map(({ ref, commit, at }) => ({ ref, commit, ended_at: new Date(at).toISOString() }));
    const none = `No run of ${owner}/${name} ended longer than ${older} ago.`;
    const text = () => (rows.length === 0 ? none : table(['ledger', 'ended'], rows));
    print(output, { value, fields, text });
    if (dryRun || rows.length === 0) return exitCodes.done;
    if (!(await confirmed(`Delete ${rows.length} of ${owner}/${name} for good?`, yes === true)))
      throw new Ended(exitCodes.refused, 'nothing was deleted');
    return deleted(dir, remote, ended);
  });
}

const fields = ['ref', 'commit', 'ended_at'];

function ageIn(text: string): number {
  const [, count, unit] = /^(\d{1,6})([dh])$/.exec(text) ?? [];
  if (count === undefined)
    throw new UsageError(`--older is ${JSON.stringify(text)}: expected days as 90d, or hours as 36h`);
  return Number(count) * (unit === 'd' ? 24 : 1) * 3_600_000;
}

async function requireWrite({ octokit }: Person, { owner, repo }: RepositoryPlace): Promise<void> {
  const { data } = await octokit.rest.repos.get({ owner, repo });
  if (data.permissions?.push !== true)
    throw new Ended(exitCodes.refused, `you may not write in ${owner}/${repo}`);
}

interface EndedLedger extends Pick<ListedLedger, 'commit'> {
  readonly ref: string;
  /** When its last event was recorded, in milliseconds since 1970. */
  readonly at: number;
}

/** Finds those of ended runs for which nothing is left to do, the oldest first. */
async function endedLedgers(dir: string, remote: Remote): Promise<readonly EndedLedger[]> {
  const ledgers = await listLedgers(dir, remote);
  const format = '--format=%(refname) %(committerdate:unix)';
  const lines = (await git(['for-each-ref', format, 'refs/coxswain/closed'], inside(dir))).split('\n');
  const times = new Map(lines.map((line) => [line.split(' ')[0], Number(line.split(' ')[1]) * 1000]));
  return ledgers
    .filter(({ namespace, settled }) => namespace === 'closed' && settled)
    .flatMap(({ number, commit }) => {
      const ref = ledgerRef('closed', number);
      const at = times.get(ref);
      return at === undefined ? [] : [{ ref, commit, at }];
    })
    .sort((one, other) => one.at - other.at);
}

/** How many are deleted at once: all of them, or none. */
const batch = 100;

/** Each only if it still is what was listed: a run that was reopened meanwhile keeps its ledger. */
async function deleted(dir: string, remote: Remote, ended: readonly EndedLedger[]): Promise<number> {
  for (let from = 0; from < ended.length; from += batch) {
    const updates = ended
      .slice(from, from + batch)
      .map(({ ref, commit }) => ({ ref, from: commit, to: null }));
    const pushed = await pushRefs({ dir, remote }, updates);
    if (!pushed.landed)
      throw new Ended(
        pushed.kind === 'unreachable' ? exitCodes.unreachable : exitCodes.refused,
        `${from} were deleted, then GitHub refused: ${pushed.message.trim()}; run it again for the others`,
      );
  }
  process.stderr.write(`Deleted ${ended.length}.\n`);
  return exitCodes.done;
}
