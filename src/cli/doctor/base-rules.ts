import { branchPrefix } from '../../github/names.ts';
import { unlessForbidden } from '../../github/octokit/fault.ts';
import { readRulesetBypass } from '../../github/read/actions-settings.ts';
import {
  type BranchRules,
  demandsSignatures,
  isGuarded,
  readBranchRules,
  requiresOwnCheck,
} from '../../github/read/branch-rules.ts';
import { repoParams } from '../../github/read/repository-ref.ts';
import type { Repository } from '../../repository/repository.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import { type Finding, note, ok, problem, unseen } from './doctor-finding.ts';

/** A branch that runs are merged into. */
export interface Base {
  readonly branch: string;
  /** What counts for a run into it, `bases` included. */
  readonly settings: Settings;
}

/** What the App lacks to hear of the merge groups of a repository; `where` says who grants it, and where. */
export interface QueueHearing {
  readonly missing: readonly string[];
  readonly where: string;
}

/** Whether the rules of a branch make our check a gate, and who may go past them. */
export async function examineBase(
  repository: Repository,
  base: Base,
  hearing: () => Promise<QueueHearing>,
): Promise<readonly Finding[]> {
  const rules = await readBranchRules(repository.octokit, repository, base.branch);
  return [
    checkSource(repository, base, rules),
    ...otherChecks(repository, base, rules),
    ...(await bypasses(repository, base, rules)),
    ...(rules.types.has('merge_queue') ? [mergeQueue(base, await hearing())] : []),
    ...demands(base, rules, await demandsSignatures(repository.octokit, repository, base.branch)),
  ];
}

/** Without our check on its groups, a queue that requires it merges nothing at all. */
function mergeQueue({ branch }: Base, { missing, where }: QueueHearing): Finding {
  if (missing.length === 0)
    return ok('merge-queue', `${branch} has a merge queue, and the App hears which groups it makes`);
  const text = `${branch} has a merge queue, and the App lacks ${missing.join(' and ')}: its check never comes there`;
  return problem('merge-queue', text, where);
}

function checkSource({ own }: Repository, { branch, settings }: Base, rules: BranchRules): Finding {
  const { check } = settings;
  if (requiresOwnCheck(rules, check, own))
    return ok('check-source', `${branch} requires ${check} from this App`);
  const named = rules.checks.filter(({ name }) => name === check);
  const remedy = `Require the check ${check} in the rules of ${branch}, with this App as its source`;
  if (named.length === 0)
    return problem('check-source', `nothing requires ${check} for merging into ${branch}`, remedy);
  if (named.some(({ app_id }) => app_id === null)) {
    const what = `${branch} requires ${check} from any source: everybody who may write can report one of that name`;
    return problem('check-source', what, remedy);
  }
  const ids = named.map(({ app_id }) => app_id).join(', ');
  return problem('check-source', `${branch} requires ${check} from another App (${ids})`, remedy);
}

/** Checks of verifiers that anybody may report, and one that decides about branches that no entry lists. */
function otherChecks(
  { own }: Repository,
  { branch, settings }: Base,
  rules: BranchRules,
): readonly Finding[] {
  const names = [...new Set(rules.checks.map(({ name }) => name))];
  const ofVerifiers = names.filter((name) => name.startsWith(`${settings.check} / `));
  const unsourced = ofVerifiers.filter((name) => !requiresOwnCheck(rules, name, own));
  const unlisted = names.filter((name) => name.startsWith('Coxswain (unlisted'));
  return [
    ...unsourced.map((name) => {
      const what = `${branch} requires ${name}, but not from this App: others can report it`;
      return problem(
        'check-source',
        what,
        `Name this App as the source of ${name} in the rules of ${branch}`,
      );
    }),
    ...unlisted.map((name) => {
      const what = `${branch} requires ${name}, which is for branches that the configuration does not list`;
      return problem('check-source', what, `List ${branch} under bases, and require the check of that entry`);
    }),
  ];
}

async function bypasses(
  repository: Repository,
  { branch }: Base,
  rules: BranchRules,
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const id of rules.rulesets) found.push(...(await rulesetBypass(repository, branch, id)));
  if (rules.spares_admins)
    found.push(note('bypass', `administrators may merge into ${branch} without its required checks`));
  if (rules.checks.some(({ by }) => by === 'protection'))
    found.push(...(await protection(repository, branch)));
  return found;
}

async function rulesetBypass(
  { octokit, ...where }: Repository,
  branch: string,
  id: number,
): Promise<readonly Finding[]> {
  const ruleset = await readRulesetBypass(octokit, where, id);
  if (ruleset === undefined) return [unseen('bypass', `who may bypass the ruleset ${id} of ${branch}`)];
  const { name, own, actors } = ruleset;
  const remedy = `Remove the App from its bypass list; where it refuses our pushes, exclude coxswain/** from it`;
  return [
    ...(own === true
      ? [problem('bypass', `this App may bypass the ruleset ${name} of ${branch}`, remedy)]
      : []),
    ...(own === undefined ? [unseen('bypass', `whether this App may bypass the ruleset ${name}`)] : []),
    ...(actors === undefined
      ? [unseen('bypass', `who may bypass the ruleset ${name}; only administrators see it`)]
      : actors > 0
        ? [note('bypass', `${actors} people, teams or Apps may bypass the ruleset ${name}`)]
        : []),
  ];
}

async function protection({ octokit, ...where }: Repository, branch: string): Promise<readonly Finding[]> {
  const found = await unlessForbidden(
    octokit.rest.repos.getBranchProtection({ ...repoParams(where), branch }),
  );
  if (found === undefined)
    return [unseen('bypass', `who may go past the protection of ${branch}; only administrators see it`)];
  const { enforce_admins, required_status_checks } = found.data;
  return [
    ...(enforce_admins?.enabled === true
      ? []
      : [note('bypass', `administrators may go past the protection of ${branch}`)]),
    ...(required_status_checks?.strict === true ? [upToDate(branch)] : []),
  ];
}

function upToDate(branch: string): Finding {
  const what = `pull requests must contain the newest commit of ${branch}: \`/update\` merges it, which voids approvals`;
  return note('strict', what);
}

/** Rules that need something of us or of people; `signed`: one of them wants commits signed. */
function demands({ branch, settings }: Base, rules: BranchRules, signed: boolean): readonly Finding[] {
  return [
    ...(rules.strict ? [upToDate(branch)] : []),
    ...(signed ? [signatures({ branch, settings }, rules)] : []),
    ...(isGuarded(rules) ? [] : [note('guard', `nothing keeps people from pushing to ${branch} directly`)]),
  ];
}

/** GitHub signs what is squashed there, and neither what it rebases nor what a merge brings with it. */
function signatures({ branch, settings }: Base, { types }: BranchRules): Finding {
  const { finish, merge_method } = settings.approval;
  const signed = `commits on ${branch} must be signed`;
  const remedy = 'Remove `commits: {sign: off}`, and GitHub signs ours';
  if (settings.commits?.sign !== 'off')
    return note('signatures', `${signed}: GitHub signs ours, or a run does not start and says why`);
  const queued = types.has('merge_queue');
  if (queued || finish === 'ready') {
    const who = queued ? 'the merge queue' : 'whoever merges';
    return note('signatures', `${signed}, and ours only are once ${who} squashes them`, remedy);
  }
  return merge_method === 'squash'
    ? note('signatures', `${signed}: Coxswain squashes ours, and GitHub signs the result`)
    : problem('signatures', `${signed}, and ours are not`, remedy);
}

/** Under these rules the App cannot push the branch of a run. */
const refusing = [
  'creation',
  'update',
  'pull_request',
  'required_status_checks',
  'merge_queue',
  'required_deployments',
  'branch_name_pattern',
  'commit_message_pattern',
  'commit_author_email_pattern',
  'committer_email_pattern',
];

/** Whether rules stand in the way of the branches that we create. */
export async function examineRunBranches({ octokit, ...where }: Repository): Promise<Finding> {
  const { types } = await readBranchRules(octokit, where, `${branchPrefix}example-0123456789`);
  const found = refusing.filter((type) => types.has(type));
  if (found.length === 0)
    return ok(
      'run-branches',
      `no ruleset stands in the way of ${branchPrefix} branches; classic protection is not shown`,
    );
  const what = `rules about ${found.map((type) => type.replaceAll('_', ' ')).join(', ')} cover ${branchPrefix} branches`;
  return problem('run-branches', what, `Exclude ${branchPrefix}** from them; do not let the App bypass them`);
}
