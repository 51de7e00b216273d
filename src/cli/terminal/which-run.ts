import { simpleGit } from 'simple-git';
import { checkGit } from '../../git/git-version.ts';
import { ourLabel } from '../../github/names.ts';
import { visible } from '../../text/characters.ts';
import { onGitHub } from './clone.ts';
import { Ended, exitCodes, UsageError } from './exit.ts';
import { givenEnvironment, webFrom } from './own-environment.ts';
import { type Person, personOn } from './signed-in-person.ts';

/** A repository and the GitHub that it is on, such as `https://github.com`. */
export interface RepositoryPlace {
  readonly web: string;
  readonly owner: string;
  readonly repo: string;
}

/** A run is named by its pull request. */
export interface RunPlace extends RepositoryPlace {
  readonly number: number;
}

/** People and our own records name a run as `owner/repo#n`. */
export function runName({ owner, repo, number }: RunPlace): string {
  return `${owner}/${repo}#${number}`;
}

/** Where the run is that our own records call `owner/repo#n`. */
export function placeCalled(name: string, web: string): RunPlace {
  const [path = '', number] = name.split('#');
  return { ...repositoryPlace(web, path), number: Number(number) };
}

const expected =
  'expected owner/repo#n, the address of a pull request, or in a clone its number, as in --run acme/api#7';

/**
 * The run that `--run` names, and the person as its GitHub knows them. Without the option it is the pull
 * request of the branch that is checked out here, else the newest open run of this repository.
 */
export async function findRun(
  named: string | undefined,
): Promise<{ readonly place: RunPlace; readonly person: Person }> {
  const place = named === undefined ? undefined : await placeNamed(named);
  if (place !== undefined) return { place, person: await personOn(place.web) };
  const clone = await cloneHere();
  const person = await personOn(clone.repository.web);
  const number = (await pullOfBranch(clone, person)) ?? (await lastRun(clone, person));
  return { place: { ...clone.repository, number }, person };
}

async function placeNamed(named: string): Promise<RunPlace> {
  const [, ownNumber] = /^#?(\d{1,9})$/.exec(named) ?? [];
  if (ownNumber !== undefined) return { ...(await repositoryHere()), number: Number(ownNumber) };
  const [, scheme, host, path, number] =
    /^(?:(https?):\/\/([^/@\s]+)\/)?([\w-]+\/[\w.-]+)(?:#|\/(?:pull|issues)\/)(\d{1,9})(?:[/?#].*)?$/.exec(
      named,
    ) ?? [];
  if (path === undefined) throw new UsageError(`--run is ${JSON.stringify(named)}: ${expected}`);
  const web = host === undefined ? webFrom(givenEnvironment()) : `${scheme}://${host}`;
  return { ...repositoryPlace(web, path), number: Number(number) };
}

/** Finds the repository that `owner/name` names, or else that of the clone in this folder. */
export async function repositoryNamed(named: string | undefined): Promise<RepositoryPlace> {
  if (named === undefined) return repositoryHere();
  if (/^[\w-]+\/[\w.-]+$/.test(named)) return repositoryPlace(webFrom(givenEnvironment()), named);
  throw new UsageError(`--repo is ${JSON.stringify(named)}: expected owner/name, as in acme/api`);
}

async function repositoryHere(): Promise<RepositoryPlace> {
  return (await remotesHere()).repository;
}

function repositoryPlace(web: string, path: string): RepositoryPlace {
  const [owner = '', repo = ''] = path.split('/');
  return { web, owner, repo };
}

interface Clone {
  readonly git: ReturnType<typeof simpleGit>;
  readonly repository: RepositoryPlace;
  /** What each remote is called, with its address. */
  readonly remotes: ReadonlyMap<string, string>;
}

interface CheckedOut extends Clone {
  readonly branch: string;
}

/**
 * The clone that this folder belongs to, and its branch. Git is only asked for its own references and
 * settings, which starts no program that the repository's configuration names.
 */
async function cloneHere(): Promise<CheckedOut> {
  const clone = await remotesHere();
  // It says nothing, without an error, if no branch is checked out.
  const branch = (await clone.git.raw(['symbolic-ref', '--quiet', '--short', 'HEAD'])).trim();
  if (branch !== '') return { ...clone, branch };
  throw new UsageError(`no branch is checked out here, so the run has to be named: ${expected}`);
}

async function remotesHere(): Promise<Clone> {
  const git = simpleGit();
  const listed = await git.getRemotes(true).catch(async (cause: unknown) => {
    await checkGit();
    if (!(cause instanceof Error && /not a git repository/i.test(cause.message))) throw cause;
    throw new UsageError(
      `this folder is in no clone of a repository, so the run has to be named: ${expected}`,
    );
  });
  const remotes = new Map(listed.map(({ name, refs }) => [name, refs.fetch]));
  return { git, repository: repositoryAmong(remotes), remotes };
}

/** As for `gh`: whoever works in a fork calls what it was forked from `upstream`. */
const usualNames = ['upstream', 'github', 'origin'];

function repositoryAmong(remotes: Clone['remotes']): RepositoryPlace {
  const found = [...remotes].flatMap(([remote, address]) => {
    const place = onGitHub(address.replace(/@ssh\.github\.com:443\//, '@github.com/'));
    return place === undefined ? [] : [{ remote, place: repositoryPlace(place.web, place.name) }];
  });
  const usual = usualNames.flatMap((name) => found.find(({ remote }) => remote === name) ?? []);
  const [first, second] = [...usual, ...found];
  if (first === undefined)
    throw new UsageError(
      `no remote of this clone is a repository on GitHub, so the run has to be named: ${expected}`,
    );
  if (usual.length === 0 && second !== undefined) {
    const names = found.map(({ remote }) => remote).join(', ');
    throw new UsageError(
      `this clone has several remotes (${names}) and none is called upstream or origin, so the run has to be named: ${expected}`,
    );
  }
  return first.place;
}

/** The open pull request of the branch, or else its newest; undefined if it has none. */
async function pullOfBranch(
  { git, repository, remotes, branch }: CheckedOut,
  { octokit }: Person,
): Promise<number | undefined> {
  const setting = async (key: string) =>
    (await git.raw(['config', '--get', `branch.${branch}.${key}`])).trim();
  const merged = await setting('merge');
  // `gh pr checkout` leaves this in a clone that cannot push to the branch.
  const [, number] = /^refs\/pull\/(\d+)\/head$/.exec(merged) ?? [];
  if (number !== undefined) return Number(number);
  const remote = (await setting('pushRemote')) || (await setting('remote')) || 'origin';
  const owner = onGitHub(remotes.get(remote) ?? remote)?.name.split('/')[0] ?? repository.owner;
  // A branch that was begun from another one may still follow that.
  const names = new Set([merged.replace(/^refs\/heads\//, ''), branch].filter((each) => each !== ''));
  for (const name of names) {
    const { data } = await octokit.rest.pulls.list({
      ...{ owner: repository.owner, repo: repository.repo, head: `${owner}:${name}` },
      ...{ state: 'all', sort: 'created', direction: 'desc' },
    });
    const found = data.find(({ state }) => state === 'open') ?? data[0];
    if (found !== undefined) return found.number;
  }
  return undefined;
}

/** The newest open run. It is said, because nobody has named it. */
async function lastRun({ repository, branch }: CheckedOut, { octokit }: Person): Promise<number> {
  const { owner, repo } = repository;
  const { data } = await octokit.rest.issues.listForRepo({
    ...{ owner, repo, labels: ourLabel, state: 'open', sort: 'created', direction: 'desc' },
  });
  const found = data.find(({ pull_request }) => pull_request !== undefined);
  if (found === undefined)
    throw new Ended(
      exitCodes.refused,
      `${branch} has no pull request, and ${owner}/${repo} has no open run; another one can be named, as in --run acme/api#7`,
    );
  const said = `${branch} has no pull request: this is the newest open run, ${owner}/${repo}#${found.number}.\n`;
  process.stderr.write(visible(said));
  return found.number;
}
