import type { Variables } from '../../app/environment/variables.ts';
import { type ConfigReading, type Configured, readConfig, triggerIn } from '../../config/read.ts';
import { problemText } from '../../config/schema/config-problem.ts';
import { configPath } from '../../config/schema.ts';
import type { Remote } from '../../git/git.ts';
import { defaultBranchOf } from '../../git/remote.ts';
import { connect, type Octokit } from '../../github/octokit/connect.ts';
import { unlessForbidden } from '../../github/octokit/fault.ts';
import { type ActionsSettings, readActionsSettings } from '../../github/read/actions-settings.ts';
import { repositoryOf } from '../../github/read/repository-ref.ts';
import { type ApprovalSettings, takesClick } from '../../steering/shapes/settings.ts';
import { ownAccess, webFrom } from '../terminal/own-environment.ts';
import { type Examined, type Finding, note, ok, problem, unseen } from './doctor-finding.ts';
import { labelFinding } from './examine-repository.ts';
import { type SnapshotFile, withSnapshot } from './snapshot.ts';
import { configuringInputs, examineWorkflow, releaseIn, secretsIn } from './workflow-files.ts';

/** A repository on which the Action works, and the person who asks. */
interface ActionsPlace {
  readonly octokit: Octokit;
  readonly owner: string;
  readonly name: string;
  readonly remote: Remote;
  /** Where people see it on the web, for what they have to set there. */
  readonly web: string;
}

/** Everything that the Action needs in a repository, as far as GitHub shows it to this person. */
async function examineActions(place: ActionsPlace): Promise<readonly Finding[]> {
  const branch = (await defaultBranchOf(place.remote))?.name;
  if (branch === undefined) return [problem('configuration', 'it has no commit yet', 'Push one')];
  const { workflows, text } = await withSnapshot(place.remote, branch, async (snapshot) => ({
    workflows: await snapshot.files('.github/workflows'),
    text: await snapshot.file(configPath),
  }));
  const ours = workflows.find((each) => releaseIn(each.text) !== undefined);
  const reading = text === undefined ? undefined : readConfig(text, { path: configPath, ref: branch });
  const settings = await readActionsSettings(place.octokit, place);
  return [
    configuration(reading, branch, ours),
    ...(reading?.outcome === 'configured' ? alone(reading) : []),
    ...(ours === undefined ? [noWorkflow(branch)] : examineWorkflow(ours)),
    enabled(settings, place),
    pullRequests(settings, place),
    ...(ours === undefined ? [] : secrets(ours, settings, place)),
    await labelFinding(place.octokit, place, triggerIn(text ?? '')),
  ];
}

function configuration(
  reading: ConfigReading | undefined,
  branch: string,
  ours: SnapshotFile | undefined,
): Finding {
  const inputs = ours === undefined ? [] : configuringInputs(ours.text);
  if (reading === undefined) {
    const text = `there is no ${configPath} on ${branch}`;
    if (ours !== undefined && inputs.includes('agent'))
      return ok('configuration', `${text}, so the inputs in ${ours.path} count`);
    return problem('configuration', text, 'Run `coxswain init` in a clone of it');
  }
  if (reading.outcome !== 'configured') {
    const problems = reading.problems.slice(0, 5).map(problemText).join('; ');
    const remedy = 'Correct it; `coxswain check` shows each problem with an example';
    return problem('configuration', `${configPath} on ${branch} is not valid: ${problems}`, remedy);
  }
  if (ours === undefined || inputs.length === 0)
    return ok('configuration', `${configPath} on ${branch} is valid`);
  return problem(
    'configuration',
    `both ${configPath} and the inputs ${inputs.join(', ')} in ${ours.path} say what to do`,
    'Remove the inputs: beside the file they only tighten it, and a verifier of the same name is refused',
  );
}

/** What a valid configuration asks for that only the App does. */
function alone({ settings, bases }: Configured): readonly Finding[] {
  const all: readonly Partial<ApprovalSettings>[] = [
    settings.approval,
    ...bases.map((entry) => entry.approval),
  ];
  const clicks = all.some(({ how }) => takesClick(how))
    ? [problem('approval', '`approval.how` counts only clicks, and a workflow hears of none', clickRemedy)]
    : [];
  const teams = new Set(all.flatMap(teamsOf));
  const modes = new Set(all.flatMap(({ mode = 'manual' }) => (mode === 'manual' ? [] : [mode])));
  const found = [
    ...clicks,
    ...[...modes].map((mode) =>
      note('approval', `\`approval.mode: ${mode}\` waits for people in the Action alone`, modeRemedy),
    ),
  ];
  if (teams.size === 0) return found;
  const text = `${[...teams].join(', ')} may approve, but a workflow's token cannot read teams`;
  return [...found, problem('approval', text, 'Name users or permissions instead, or use the App')];
}

function teamsOf({
  by = [],
  protected_paths: protectors = [],
}: Partial<ApprovalSettings>): readonly string[] {
  const approvers = [...by, ...protectors.flatMap((entry) => entry.by)];
  return approvers.flatMap((one) => ('team' in one ? [`@${one.team}`] : []));
}

const clickRemedy = 'Add `comment` or `review`, or use the App: until then no run starts or goes on';

const modeRemedy = 'Only the App goes on without people: nothing proves what a ledger of the Action says';

function noWorkflow(branch: string): Finding {
  const text = `no workflow on ${branch} uses Coxswain, so nothing happens there`;
  return problem('workflow', text, 'Run `coxswain init` in a clone of it, and push what it writes');
}

function enabled({ enabled: is }: ActionsSettings, { web }: ActionsPlace): Finding {
  if (is === undefined) return notShown('actions', 'whether GitHub Actions is switched on');
  if (is) return ok('actions', 'GitHub Actions is switched on');
  return problem('actions', 'GitHub Actions is switched off', `Allow it at ${web}/settings/actions`);
}

function pullRequests({ may_create_pulls: may }: ActionsSettings, { web }: ActionsPlace): Finding {
  if (may === undefined) return notShown('pull-requests', 'whether GitHub Actions may create pull requests');
  if (may) return ok('pull-requests', 'GitHub Actions may create pull requests');
  return problem(
    'pull-requests',
    'GitHub Actions may not create pull requests, so no run starts',
    `Tick "Allow GitHub Actions to create and approve pull requests" at the end of ${web}/settings/actions`,
  );
}

function secrets(
  ours: SnapshotFile,
  { secrets: known }: ActionsSettings,
  { owner, name }: ActionsPlace,
): readonly Finding[] {
  const wanted = secretsIn(ours.text);
  if (wanted.length === 0)
    return [note('secrets', `${ours.path} uses no secret, so agents reach no model with a key`)];
  if (known === undefined) return [notShown('secrets', `whether the secret ${wanted.join(', ')} is there`)];
  return wanted.map((each) =>
    known.includes(each)
      ? ok('secrets', `the secret ${each} is there`)
      : problem(
          'secrets',
          `the repository has no secret ${each}, unless its organization has one`,
          `Store it with \`gh secret set ${each} --repo ${owner}/${name}\``,
        ),
  );
}

function notShown(id: string, what: string): Finding {
  return unseen(id, `${what}; only administrators see it`);
}

/** A repository on which the Action works, seen with the token that somebody has set for this. */
export async function lookAtActions(variables: Variables, wanted: string): Promise<readonly Examined[]> {
  const web = webFrom(variables);
  const command = `coxswain doctor --action --repo ${wanted}`;
  const access = ownAccess(web, variables, { option: '--action', command });
  const [owner = '', name = ''] = wanted.split('/');
  const octokit = connect(access);
  const found = await unlessForbidden(octokit.rest.repos.get({ owner, repo: name }));
  if (found === undefined) {
    const remedy = 'Compare the name, and make sure that the token can read it';
    return [{ about: wanted, findings: [problem('repository', 'GitHub does not show it to you', remedy)] }];
  }
  const { clone_url } = repositoryOf(found.data);
  const remote = { url: clone_url, token: async () => access.token };
  const findings = await examineActions({ octokit, owner, name, remote, web: found.data.html_url });
  return [{ about: `${wanted}, as GitHub shows it to you`, findings }];
}
