import { examineAgent as examineProgram } from '../../agent/index.ts';
import { type AppSettings, operatorOf } from '../../app/environment/app-settings.ts';
import { withProfile } from '../../config/agent-choices.ts';
import { modelProblem } from '../../config/model-problem.ts';
import { type Configured, readConfig, triggerIn } from '../../config/read.ts';
import { problemText } from '../../config/schema/config-problem.ts';
import { defined } from '../../config/schema/schema-forms.ts';
import { configPath } from '../../config/schema.ts';
import { type OtherAgent, otherAgents, settingsFor } from '../../config/settings-by-base.ts';
import { codeOwnersPaths, readCodeOwners } from '../../gates/index.ts';
import { defaultBranchOf, listRemote } from '../../git/remote.ts';
import { inTemporaryFolder } from '../../git/temporary-folder.ts';
import type { Octokit } from '../../github/octokit/connect.ts';
import { hasLabelNamed, writingDeployKeys } from '../../github/read/actions-settings.ts';
import { keyNamesOf } from '../../network/model/providers.ts';
import { profileNamed } from '../../profiles/index.ts';
import type { NamedProfile } from '../../profiles/profile.ts';
import { teamProblems } from '../../repository/configuration.ts';
import type { Repository } from '../../repository/repository.ts';
import { asksOwners } from '../../steering/approval/approval-needs.ts';
import { covers } from '../../steering/shapes/people.ts';
import type { ProtocolAgent, Settings } from '../../steering/shapes/settings.ts';
import { matchesBranch } from '../../text/globs.ts';
import { type Base, examineBase, examineRunBranches, type QueueHearing } from './base-rules.ts';
import { type Finding, note, ok, problem, unseen } from './doctor-finding.ts';
import { type Snapshot, withSnapshot } from './snapshot.ts';
import { type RiskyWorkflow, riskyWorkflows } from './workflow-files.ts';

/** How many branches of one entry of `bases` are looked at. */
const maxBranches = 10;

/** How many workflows are named. */
const maxWorkflows = 20;

/** One repository: its configuration, its rules, and what can reach its branches or its secrets. */
export async function examineRepository(
  repository: Repository,
  settings: AppSettings,
  hearing: () => Promise<QueueHearing>,
): Promise<readonly Finding[]> {
  const operator = operatorOf(settings);
  const branch = (await defaultBranchOf(repository.remote))?.name;
  if (branch === undefined) return [note('configuration', 'it has no commit yet')];
  return withSnapshot(repository.remote, branch, async (snapshot) => {
    const text = await snapshot.file(configPath);
    const reading = readConfig(text, { path: configPath, ref: branch }, operator);
    const configured = reading.outcome === 'configured' ? reading : undefined;
    const problems = reading.outcome === 'configured' ? [] : reading.problems;
    return [
      configured === undefined
        ? notConfigured(branch, problems.map(problemText))
        : ok('configuration', `${configPath} on ${branch} is valid`),
      ...(configured === undefined ? [] : await examineAgents(configured, settings)),
      await labelFinding(repository.octokit, repository, triggerIn(text ?? '')),
      ...(configured === undefined ? [] : await examineApprovers(repository, configured, snapshot)),
      ...(configured === undefined ? [] : await examineBases(repository, configured, hearing)),
      await examineRunBranches(repository),
      await deployKeys(repository),
      await workflows(snapshot, configured),
      ...oneIsEnough(configured),
      ...others(configured),
    ];
  });
}

function notConfigured(branch: string, problems: readonly string[]): Finding {
  if (problems.length === 0) {
    const remedy = 'Ask for a run: the App proposes one. Or write it with `coxswain init --app`';
    return problem('configuration', `there is no ${configPath} on ${branch}`, remedy);
  }
  const what = `${configPath} on ${branch} is not valid: ${problems.slice(0, 5).join('; ')}`;
  return problem('configuration', what, 'Correct it: until then no run starts or goes on');
}

/** The App creates it when it is installed. */
export async function labelFinding(
  octokit: Octokit,
  where: { readonly owner: string; readonly name: string },
  wanted: string,
): Promise<Finding> {
  if (await hasLabelNamed(octokit, where, wanted)) return ok('label', `the label ${wanted} is there`);
  const text = `there is no label ${wanted}, so that only /run starts runs`;
  const command = `gh label create ${wanted} --repo ${where.owner}/${where.name}`;
  return note('label', text, `Create it with \`${command}\``);
}

/** The default branch, and those that the configuration lists. */
async function examineBases(
  repository: Repository,
  reading: Configured,
  hearing: () => Promise<QueueHearing>,
): Promise<readonly Finding[]> {
  const default_branch = reading.where.ref;
  const refs = await listRemote(repository.remote, ['refs/heads/*']);
  const branches = [...refs.keys()].map((ref) => ref.replace('refs/heads/', ''));
  const found: Finding[] = [];
  const examine = async (branch: string) => {
    const base: Base = { branch, settings: settingsFor(reading, { base: branch, default_branch }) };
    found.push(...(await examineBase(repository, base, hearing)));
  };
  await examine(default_branch);
  for (const { globs } of reading.bases) {
    const listed = branches.filter((branch) => globs.some((glob) => matchesBranch(glob, branch)));
    for (const branch of listed.slice(0, maxBranches)) await examine(branch);
    const rest = listed.length - maxBranches;
    if (listed.length === 0) found.push(note('bases', `no branch matches ${globs.join(', ')} yet`));
    if (rest > 0) found.push(unseen('bases', `${rest} more branches that match ${globs.join(', ')}`));
  }
  return found;
}

/** A push with a deploy key looks like one by the person who added the key. */
async function deployKeys({ octokit, ...where }: Repository): Promise<Finding> {
  const titles = await writingDeployKeys(octokit, where);
  if (titles === undefined)
    return unseen('deploy-keys', 'which deploy keys may push; only administrators see it');
  if (titles.length === 0) return ok('deploy-keys', 'no deploy key may push');
  return note(
    'deploy-keys',
    `deploy keys that may push: ${titles.join(', ')}; their pushes look like a person's`,
  );
}

async function workflows(snapshot: Snapshot, configured: Configured | undefined): Promise<Finding> {
  const risky = riskyWorkflows(await snapshot.files('.github/workflows'));
  if (risky.length === 0)
    return ok('workflows', 'by a rough reading, no workflow gives secrets or a writing token to pushed code');
  const list = risky.slice(0, maxWorkflows).map(inWords).join('; ');
  const more = risky.length > maxWorkflows ? `; and ${risky.length - maxWorkflows} more` : '';
  const when =
    configured?.settings.ci === 'after_look'
      ? 'after somebody has looked, because of `ci: after_look`'
      : 'at once, unless the configuration says `ci: after_look`';
  return note('workflows', `by a rough reading, what agents push runs ${when}, in ${list}${more}`);
}

function inWords({ path, triggers, holds }: RiskyWorkflow): string {
  return `${path} (${triggers.join(', ')}) with ${holds.join(', ')}`;
}

function others(configured: Configured | undefined): readonly Finding[] {
  if (configured?.others.pass !== true) return [];
  return [note('others', 'with `others: pass` the check is a gate for the work of agents, not of people')];
}

/** Whether somebody can start a run, or adopt their own work, and approve it alone. */
function oneIsEnough(configured: Configured | undefined): readonly Finding[] {
  if (configured === undefined) return [];
  const { by, required, requester_may_approve, steerer_may_approve } = configured.settings.approval;
  const everyWriter = by.some((approver) => 'role' in approver && covers('write', approver.role));
  if (required > 1 || !everyWriter || !(requester_may_approve && steerer_may_approve)) return [];
  const how = 'requester_may_approve: false and steerer_may_approve: false, or required: 2, ask for a second';
  return [
    note(
      'approval',
      `one person with write access can have work done, adopt it and approve it alone; ${how}`,
    ),
  ];
}

/**
 * Whether the usual agent of a repository can work on this machine, and those of its profiles, its stages and
 * its second opinions. What holds for several of them is said once.
 */
async function examineAgents(
  configured: Configured,
  app: Pick<AppSettings, 'operatorFile' | 'providers'>,
): Promise<readonly Finding[]> {
  const { settings } = configured;
  const usual = await examineAgent(settings, app);
  const own = new Map<string, { readonly finding: Finding; readonly users: OtherAgent['of'][] }>();
  for (const { agent, of } of otherAgents(configured))
    for (const finding of await examineAgent(withProfile(settings, agent), app)) {
      const key = JSON.stringify(finding);
      if (usual.some((each) => JSON.stringify(each) === key)) continue;
      const users = own.get(key)?.users ?? [];
      own.set(key, { finding, users: [...users, of] });
    }
  return [
    ...usual,
    ...[...own.values()].map(({ finding, users }) => ({
      ...finding,
      text: `${usersText(users)}: ${finding.text}`,
    })),
  ];
}

/** Says who has an agent, as in `worker profiles careful, quick; stage plan; second opinion`. */
function usersText(users: readonly OtherAgent['of'][]): string {
  const namesOf = (kind: 'profile' | 'stage') => [
    ...new Set(users.flatMap((user) => (user.kind === kind ? [user.name] : []))),
  ];
  const several = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${what}${names.length === 1 ? '' : 's'} ${names.join(', ')}`];
  return [
    ...several('worker profile', namesOf('profile')),
    ...several('stage', namesOf('stage')),
    ...(users.some(({ kind }) => kind === 'review') ? ['second opinion'] : []),
  ].join('; ');
}

async function examineAgent(
  settings: Pick<Settings, 'agent' | 'network'>,
  app: Pick<AppSettings, 'operatorFile' | 'providers'>,
): Promise<readonly Finding[]> {
  const { agent } = settings;
  const profile = profileNamed(agent.use);
  if (profile === undefined || 'script' in agent)
    return [note('agent', `its agent is ${agent.use}, a program of its own, which doctor does not start`)];
  const { bounds } = app.operatorFile;
  const why = modelProblem(settings, keyNamesOf(app.providers), bounds.network);
  return [
    await program(agent, profile, app),
    why === undefined
      ? ok('agent-key', `${profile.title} reaches its model`)
      : problem(
          'agent-key',
          why,
          'Set the key in the environment of the App, or in .env, and start it again',
        ),
  ];
}

async function program(
  agent: ProtocolAgent,
  { title, name }: NamedProfile,
  { operatorFile: { install } }: Pick<AppSettings, 'operatorFile'>,
): Promise<Finding> {
  const ready = await inTemporaryFolder('doctor', (workRoot) => examineProgram(agent, workRoot));
  if (ready.kind === 'ready') {
    const version = ready.version === null ? '' : ` ${ready.version}`;
    return ok('agent', `${title}${version} is installed`);
  }
  const mayInstall = typeof install === 'boolean' ? install : install.some((each) => each === name);
  if (mayInstall && agent.command === undefined)
    return ok('agent', `${title} is installed when it is first needed, unless it has been already`);
  const [what = '', ...remedy] = ready.problem.split('. ');
  const how = remedy.join('. ').replace(/\.$/, '');
  return problem('agent', what, how || 'docs/agents.md says how to install it');
}

/** Whether the teams that may approve or are asked can be read, and what of CODEOWNERS counts. */
async function examineApprovers(
  repository: Repository,
  { settings: { approval, answers, interrupts }, bases }: Configured,
  snapshot: Pick<Snapshot, 'file'>,
): Promise<readonly Finding[]> {
  const all = [approval, ...bases.map((entry) => ({ ...approval, ...entry.approval }))];
  const found = await Promise.all(
    all.map((each) =>
      teamProblems(repository, { approval: each, ...defined({ answers, interrupts }) }, { presenter: 'app' }),
    ),
  );
  const texts = [...new Set(found.flat().map(problemText))];
  const names = all.some(({ by, protected_paths: paths = [] }) =>
    [...by, ...paths.flatMap((entry) => entry.by)].some((approver) => 'team' in approver),
  );
  const asks = interrupts?.ask.some((each) => each.includes('/')) ?? false;
  const remedy = 'Correct it: until then no run starts or goes on';
  return [
    ...texts.map((text) => problem('approvers', text, remedy)),
    ...((names || asks) && texts.length === 0
      ? [ok('approvers', 'the teams that may approve or are asked can be read')]
      : []),
    ...(all.some(({ by }) => asksOwners(by)) ? await codeOwners(snapshot) : []),
  ];
}

async function codeOwners(snapshot: Pick<Snapshot, 'file'>): Promise<readonly Finding[]> {
  for (const path of codeOwnersPaths) {
    const text = await snapshot.file(path);
    if (text === undefined) continue;
    const { problems } = readCodeOwners(text);
    if (problems.length === 0) return [ok('code owners', `every line of ${path} counts`)];
    return problems.map((each) => note('code owners', each, `Correct it in ${path}`));
  }
  const text = 'approval.by names codeowners, but there is no file CODEOWNERS, so no file has owners';
  return [note('code owners', text, 'Add .github/CODEOWNERS, or remove codeowners from approval.by')];
}
