import { plainCheck } from '../../config/check-names.ts';
import type { ModelKeys } from '../../config/model-problem.ts';
import { type Operator, readConfig } from '../../config/read.ts';
import { git } from '../../git/git.ts';
import { runExclusive } from '../../git/keyed-mutex.ts';
import type { Mirror } from '../../git/mirror.ts';
import { treeWithFile } from '../../git/mixed-commit.ts';
import { inside, sizesOf } from '../../git/objects.ts';
import { listRemote } from '../../git/remote.ts';
import { GitHubFault, whatExists } from '../../github/octokit/fault.ts';
import { readBranchRules } from '../../github/read/branch-rules.ts';
import { readSetupPulls } from '../../github/read/pulls.ts';
import { repoParams } from '../../github/read/repository-ref.ts';
import type { RepositoryFiles } from '../../onboarding/ecosystems/ecosystem.ts';
import { look } from '../../onboarding/look-at-repository.ts';
import { configurationText } from '../../onboarding/setup-files.ts';
import { type ProfileName, profileNames, profiles, shortestChoice } from '../../profiles/index.ts';
import { messageOf } from '../../repository/faults.ts';
import type { Repository } from '../../repository/repository.ts';
import type { Sealed, Seals } from '../../seal/seals.ts';
import { redactAll } from '../../text/redact.ts';
import {
  type ProposedSetup,
  type SetupOutcome,
  setupBody,
  setupBranch,
  setupReply,
  setupTitle,
} from '../../words/setup-texts.ts';
import type { StartRefusal } from '../../words/start-texts.ts';
import type { Services, WantedSetup } from '../run/services.ts';
import { claimSigned, commitOnOne } from '../start/claim.ts';
import { refusalFrom } from '../start/starting.ts';

export type ProposingServices = Pick<Services, 'operator' | 'modelKeys' | 'secrets' | 'log'> & {
  readonly seals: Seals;
};

/**
 * Opens a pull request with a configuration, once for each repository, and resolves to what the reply says
 * about it. Idempotent, also after a crash and in several processes: the branch is one ref, and GitHub opens
 * only one pull request for it. Throws when GitHub fails in a way that may pass.
 */
export function proposeSetup(wanted: WantedSetup, services: ProposingServices): Promise<string | undefined> {
  return runExclusive(`setup of ${wanted.repository.id}`, () => propose(wanted, services));
}

async function propose(wanted: WantedSetup, services: ProposingServices): Promise<string | undefined> {
  const { repository, where } = wanted;
  const mirror = await repository.mirror();
  const base = await mirror.resolve(`refs/heads/${where.ref}`);
  if (base === undefined || (await isInTheWay(mirror, base, where.path))) return undefined;
  const setup = await proposedSetup(wanted, { mirror, base }, services);
  if (setup === undefined) return undefined;
  const before = await earlierProposal(repository);
  const outcome =
    before ?? (await openNew(wanted, { ...setup, base }, services).catch(refused(wanted, services)));
  return setupReply(outcome, setup);
}

/** Whether the file cannot simply be added, as where its folder is a symbolic link. */
async function isInTheWay(mirror: Mirror, base: string, path: string): Promise<boolean> {
  const all = await filesAt(mirror, base).files();
  return all.some((each) => each === path || path.startsWith(`${each}/`) || each.startsWith(`${path}/`));
}

/** What became of a pull request that we opened; undefined if there was none. */
async function earlierProposal({ octokit, own, ...where }: Repository): Promise<SetupOutcome | undefined> {
  const pulls = await readSetupPulls(octokit, where);
  const ours = pulls.filter(({ author }) => author === own.login);
  const pull = ours.find(({ open }) => open) ?? ours[0];
  if (pull === undefined) return pulls.some(({ open }) => open) ? { outcome: 'taken' } : undefined;
  if (pull.open) return { outcome: 'open', number: pull.number };
  return { outcome: pull.merged ? 'merged' : 'closed', number: pull.number };
}

async function openNew(
  { repository, request, where }: WantedSetup,
  setup: ProposedSetup & { readonly base: string },
  { seals, secrets, log }: ProposingServices,
): Promise<SetupOutcome> {
  const { path, text, base } = setup;
  if (!(await createSetupBranch(repository, { base, path, text }, seals))) return { outcome: 'taken' };
  const number = request.issue?.number ?? request.adopt?.number;
  const body = setupBody(setup, { login: request.by.login, number });
  const texts = redactAll({ title: setupTitle, body }, secrets);
  try {
    const pull = { ...repoParams(repository), head: setupBranch, base: where.ref, ...texts };
    const { data } = await repository.octokit.rest.pulls.create(pull);
    log.info(`proposed a configuration for ${repository.owner}/${repository.name} in #${data.number}`);
    return { outcome: 'open', number: data.number };
  } catch (fault) {
    if (!(fault instanceof GitHubFault)) throw fault;
    // By another process, or an earlier try whose answer was lost.
    return whatExists(fault, () => earlierProposal(repository));
  }
}

/** What a person can mend is told; an outage is tried again. */
function refused({ repository }: WantedSetup, { log }: ProposingServices) {
  return (fault: unknown): SetupOutcome => {
    const refusal = refusalFrom(fault);
    if (refusal === undefined) throw fault;
    const where = `${repository.owner}/${repository.name}`;
    const reason = reasonOf(refusal) ?? messageOf(fault);
    log.warn(`could not propose a configuration for ${where}: ${reason}`);
    return { outcome: 'refused', reason };
  };
}

function reasonOf(refusal: StartRefusal): string | undefined {
  if (refusal.why === 'missing_permission') return refusal.message;
  return 'reason' in refusal ? refusal.reason.replace(/\.$/, '') : undefined;
}

type SetupServices = Pick<Services, 'operator' | 'modelKeys'>;

/** A configuration for the files of a commit; undefined if we know of none that the operator would allow. */
async function proposedSetup(
  { repository, where }: WantedSetup,
  { mirror, base }: { readonly mirror: Mirror; readonly base: string },
  services: SetupServices,
): Promise<ProposedSetup | undefined> {
  const agent = agentFor(services);
  if (agent === undefined) return undefined;
  const findings = await look(filesAt(mirror, base));
  const text = configurationText(findings, agent === 'default' ? undefined : shortestChoice(agent));
  if (readConfig(text, where, services.operator).outcome === 'misconfigured') return undefined;
  const { checks } = await readBranchRules(repository.octokit, repository, where.ref);
  return {
    ...{ text, path: where.path, branch: where.ref },
    ...{ found: findings.found, setup: findings.setup, verifiers: findings.verifiers, notes: findings.notes },
    agent: agent === 'default' ? undefined : profiles[agent].title,
    isGated: checks.some(({ name }) => name === plainCheck),
  };
}

/** That of the operator, or the first that is allowed and has a key; undefined if none is allowed. */
function agentFor({ operator, modelKeys }: SetupServices): ProfileName | 'default' | undefined {
  const { defaults, bounds } = operator satisfies Operator;
  if (defaults?.agent !== undefined) return 'default';
  const allowed = profileNames.filter((name) => bounds?.agents?.includes(name) ?? true);
  return allowed.find((name) => hasKey(name, modelKeys)) ?? allowed[0];
}

function hasKey(name: ProfileName, known: ModelKeys | undefined): boolean {
  if (known === undefined || known.hasOthers) return true;
  return profiles[name].keys.some((key) => known.names.includes(key));
}

/** What the branch is to add to the default branch. */
interface NewSetup {
  /** The newest commit of the default branch. */
  readonly base: string;
  readonly path: string;
  readonly text: string;
}

const ref = `refs/heads/${setupBranch}`;

/**
 * Creates the branch with one commit that adds the configuration, signed if a rule demands it. Several
 * processes that do so at once make the same commit unless it is signed, and a branch from an earlier try is
 * used. Resolves to false if there is one that is not ours. Throws `PushRefused` when a rule of the
 * repository forbids it.
 */
async function createSetupBranch(
  repository: Repository,
  { base, path, text }: NewSetup,
  seals: Seals,
): Promise<boolean> {
  const { id } = repository;
  const mirror = await repository.mirror();
  const known = await listRemote(mirror.remote, [ref, `${ref}/*`]);
  if (known.has(ref)) return isOurs(mirror, id, seals);
  // Git cannot have both a branch and others below it.
  if ([...known.keys()].some((each) => each.startsWith(`${ref}/`))) return false;
  const tree = await treeWithFile(mirror.dir, { base, path, text });
  const message = `${messageFor(path)}Coxswain-Seal: ${seals.seal(sealed(id, { base, tree }))}\n`;
  // With the time of the base, whoever makes it makes the same commit.
  const at = (await git(['show', '--no-patch', '--format=%cI', base], inside(mirror.dir))).trim();
  const claim = { branch: setupBranch, base, filesOf: tree, message, at };
  const { created } = await claimSigned(repository, claim, 'if refused');
  return created || isOurs(mirror, id, seals);
}

function messageFor(path: string): string {
  return `Configure Coxswain\n\nAdd ${path}, made from the files of this repository.\n\n`;
}

/** Whether the branch is at a commit that we made for it, and nobody has pushed to it since. */
async function isOurs(mirror: Mirror, repositoryId: number, seals: Seals): Promise<boolean> {
  await mirror.fetchBranches(setupBranch);
  const commit = await commitOnOne(mirror.dir, ref);
  const [, seal] = /\nCoxswain-Seal: (.*)\n?$/.exec(commit?.message ?? '') ?? [];
  return commit !== undefined && seals.check(sealed(repositoryId, commit), seal).seal === 'sound';
}

function sealed(
  repositoryId: number,
  { base, tree }: { readonly base: string; readonly tree: string },
): Sealed {
  return { label: 'setup', parts: [String(repositoryId), base, tree] };
}

/** Larger files say nothing about how a repository is built. */
const maxBytes = 1024 * 1024;

/** The files of a commit. */
export function filesAt(mirror: Mirror, commit: string): RepositoryFiles {
  return {
    files: async () => {
      const listed = await mirror.reading(() =>
        git(['ls-tree', '-r', '-z', '--name-only', commit], inside(mirror.dir)),
      );
      return listed.split('\0').filter((path) => path !== '');
    },
    read: async (path) => {
      const [size] = await mirror.reading(() => sizesOf(mirror.dir, [`${commit}:${path}`]));
      return size === undefined || size > maxBytes ? undefined : mirror.readFile(commit, path);
    },
  };
}
