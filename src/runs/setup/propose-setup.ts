import { runExclusive } from '../../git/keyed-mutex.ts';
import type { Mirror } from '../../git/mirror.ts';
import { setupBranch } from '../../github/names.ts';
import { GitHubFault } from '../../github/octokit/fault.ts';
import { readSetupPulls } from '../../github/read/pulls.ts';
import { repoParams } from '../../github/read/repository.ts';
import {
  type ProposedSetup,
  type SetupOutcome,
  setupBody,
  setupReply,
  setupTitle,
} from '../../github/words/setup.ts';
import type { StartRefusal } from '../../github/words/starting.ts';
import type { Seals } from '../../seal/seals.ts';
import { redactAll } from '../../text/redact.ts';
import { messageOf } from '../faults.ts';
import type { Repository } from '../repository.ts';
import type { Services, WantedSetup } from '../services.ts';
import { refusalFrom } from '../start/cannot-start.ts';
import { filesAt } from './mirror-files.ts';
import { proposedSetup } from './proposed-setup.ts';
import { createSetupBranch } from './setup-branch.ts';

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
  const wanted = { repositoryId: repository.id, base, path, text };
  if (!(await createSetupBranch(await repository.mirror(), wanted, seals))) return { outcome: 'taken' };
  const number = request.issue?.number ?? request.adopt?.number;
  const body = setupBody(setup, { login: request.by.login, number });
  const texts = redactAll({ title: setupTitle, body }, secrets);
  try {
    const pull = { ...repoParams(repository), head: setupBranch, base: where.ref, ...texts };
    const { data } = await repository.octokit.rest.pulls.create(pull);
    log.info(`proposed a configuration for ${repository.owner}/${repository.name} in #${data.number}`);
    return { outcome: 'open', number: data.number };
  } catch (fault) {
    // Another process, or an earlier try whose answer was lost.
    if (!(fault instanceof GitHubFault && fault.status === 422 && /already exists/i.test(fault.reason)))
      throw fault;
    const there = await earlierProposal(repository);
    if (there === undefined) throw fault;
    return there;
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
