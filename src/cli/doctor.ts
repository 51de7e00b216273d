import { join } from 'node:path';
import { pino } from 'pino';
import type { AppSettings } from '../app/environment/app-settings.ts';
import { type AppEnvironment, readEnvironment } from '../app/environment/environment.ts';
import { EnvironmentError } from '../app/environment/values.ts';
import { type AppIdentity, Installations, missingForQueues, whoAmI } from '../app/installations.ts';
import { listRepositories } from '../app/known-repositories.ts';
import { type LedgerSeal, sealRepository } from '../app/seal-ledgers.ts';
import { inTemporaryFolder } from '../git/temporary-folder.ts';
import type { Log } from '../github/octokit/connect.ts';
import { unlessForbidden } from '../github/octokit/fault.ts';
import { repositoryOf } from '../github/read/repository-ref.ts';
import { messageOf } from '../repository/faults.ts';
import type { Repository } from '../repository/repository.ts';
import { parseSealKeys } from '../seal/seal-keys.ts';
import { openSeals } from '../seal/seals.ts';
import { lookAtActions } from './doctor/actions.ts';
import { examineApp, examineMachine } from './doctor/app-and-machine.ts';
import type { QueueHearing } from './doctor/base-rules.ts';
import {
  type Examined,
  type Finding,
  note,
  ok,
  problem,
  problemsIn,
  reportOf,
} from './doctor/doctor-finding.ts';
import { examineRepository } from './doctor/examine-repository.ts';
import { examineSignIn } from './doctor/sign-in.ts';
import type { CommandFile } from './terminal/command-file.ts';
import { UsageError } from './terminal/exit.ts';
import { givenEnvironment, letProgramsRead, ownEnvironment } from './terminal/own-environment.ts';

export const doctor: CommandFile<Options> = {
  about:
    "Looks at what makes the App's check a gate, and at what keeps runs from working: the environment, this " +
    "machine and its sandbox, the App's permissions, events and webhook, and in each repository the " +
    'configuration, branch rules, deploy keys and workflows. It changes nothing, and exits with 1 if it finds a ' +
    'problem. Without --action it reads the same environment as `coxswain serve`, which may keep running.',
  takes: (command) =>
    command
      .option('--repo <owner/name>', 'only this repository (default: every one that the App is installed on)')
      .option(
        '--action',
        'the repository of the Action, which has no App: its workflow, its secrets and the settings of Actions, ' +
          'as far as your token in GH_TOKEN sees them',
      )
      .option('-o, --output <format>', 'text or json', 'text'),
  examples: {
    doctor: 'the App and all of its repositories',
    'doctor --action --repo acme/api': 'a repository that works with the Action',
    'doctor -o json': 'the findings as JSON',
  },
  run: runDoctor,
};

interface Options {
  readonly repo?: string;
  readonly action?: boolean;
  readonly output: string;
}

async function runDoctor(values: Options): Promise<number> {
  if (values.output !== 'text' && values.output !== 'json')
    throw new UsageError(`--output is ${JSON.stringify(values.output)}: expected text or json`);
  if (values.repo !== undefined && !/^[\w-]+\/[\w.-]+$/.test(values.repo))
    throw new UsageError(`--repo is ${JSON.stringify(values.repo)}: expected owner/name`);
  letProgramsRead();
  const examined = await (values.action
    ? lookAtActions(givenEnvironment(), requiredName(values.repo))
    : lookAt(ownEnvironment(), values.repo));
  const problems = problemsIn(examined);
  const json = `${JSON.stringify({ version: 1, problems, examined }, null, 2)}\n`;
  process.stdout.write(values.output === 'json' ? json : reportOf(examined));
  return problems === 0 ? 0 : 1;
}

function requiredName(repository: string | undefined): string {
  if (repository !== undefined) return repository;
  throw new UsageError('--action is about one repository: expected --repo as well, as in --repo acme/api');
}

/**
 * Looks at this machine, at the App and at one repository, `owner/name`, or at all that it is installed on.
 */
async function examine(
  settings: AppEnvironment,
  wanted: string | undefined,
  log: Log,
): Promise<readonly Examined[]> {
  const machine: Examined = { about: 'This machine', findings: await examineMachine(settings) };
  return [machine, ...(await examineOnGitHub(settings, wanted, log))];
}

async function examineOnGitHub(
  settings: AppEnvironment,
  wanted: string | undefined,
  log: Log,
): Promise<readonly Examined[]> {
  return inTemporaryFolder('doctor', async (data) => {
    const unused = { onMirror: async () => undefined, onClient: () => undefined };
    const installations = new Installations({ ...settings, data, log, ...unused });
    const identity = await whoAmI(installations.app).catch((fault: unknown) => messageOf(fault));
    if (typeof identity === 'string') return [{ about: 'The App', findings: [unknownApp(identity)] }];
    installations.own = identity.own;
    const findings = [
      ...(await examineApp(installations.app, identity, settings)),
      ...examineSignIn(identity, settings),
    ];
    const app: Examined = { about: `The App ${identity.slug}`, findings };
    return [app, ...(await examineRepositories(installations, { ...settings, data, ...identity }, wanted))];
  });
}

function unknownApp(why: string) {
  return problem('app', why, 'Compare APP_ID and the private key with the settings of the App');
}

interface Examining extends AppSettings, Pick<AppIdentity, 'hearsQueues'> {}

/** One repository that cannot be looked at does not keep the others from it. */
async function examineRepositories(
  installations: Installations,
  settings: Examining,
  wanted: string | undefined,
): Promise<readonly Examined[]> {
  const repositories =
    wanted === undefined
      ? await listRepositories(installations)
      : await findRepository(installations, wanted);
  if (wanted !== undefined && repositories.length === 0) {
    const remedy = 'Install it there, or compare the name';
    return [{ about: wanted, findings: [problem('installation', 'the App is not installed there', remedy)] }];
  }
  const examined: Examined[] = [];
  for (const repository of repositories) {
    const about = `${repository.owner}/${repository.name}`;
    const findings = await findingsOf(repository, installations, settings).catch((fault: unknown) => [
      problem('repository', `it could not be looked at: ${messageOf(fault)}`, 'Try again later'),
    ]);
    examined.push({ about, findings });
  }
  return examined;
}

async function findingsOf(
  repository: Repository,
  installations: Installations,
  settings: Examining,
): Promise<readonly Finding[]> {
  const hearing = () => hearingOf(repository, installations, settings);
  const findings = await examineRepository(repository, settings, hearing);
  return [...findings, ...(await examineLedgers(repository, settings))];
}

/** What keeps the App from hearing of merge groups: its registration, or that nobody has accepted more. */
async function hearingOf(
  { owner, name: repo }: Repository,
  { app }: Installations,
  { hearsQueues }: Examining,
): Promise<QueueHearing> {
  const { data } = await app.rest.apps.getRepoInstallation({ owner, repo });
  const permissions = missingForQueues(data.permissions);
  if (hearsQueues)
    return { missing: permissions, where: `Accept its request for new permissions at ${data.html_url}` };
  const where =
    'Grant it `merge_queues: read` and subscribe it to `merge_group` under "Permissions & events" in its ' +
    `settings, then accept that at ${data.html_url}`;
  return { missing: [...permissions, 'the event merge_group'], where };
}

async function findRepository(installations: Installations, wanted: string): Promise<readonly Repository[]> {
  const [owner = '', repo = ''] = wanted.split('/');
  const found = await unlessForbidden(installations.app.rest.apps.getRepoInstallation({ owner, repo }));
  if (found === undefined) return [];
  const { id } = found.data;
  const { data } = await installations.client(id).rest.repos.get({ owner, repo });
  return [installations.repository(repositoryOf(data), id)];
}

/** Everything that doctor looks at; `repository` is `owner/name`, and all repositories by default. */
export async function lookAt(
  variables: Parameters<typeof readEnvironment>[0],
  repository: string | undefined,
): Promise<readonly Examined[]> {
  const environment = environmentOrProblem(variables);
  if ('about' in environment) return [environment];
  return examine(environment, repository, pino({ level: 'silent' }));
}

/** Everything else needs the environment, so nothing is looked at without it. */
function environmentOrProblem(variables: Parameters<typeof readEnvironment>[0]): AppEnvironment | Examined {
  try {
    return readEnvironment(variables);
  } catch (fault) {
    if (!(fault instanceof EnvironmentError)) throw fault;
    const remedy = 'Set it in the environment or in .env';
    const findings = fault.problems.map((each) => problem('environment', each, remedy));
    return { about: 'The environment', findings };
  }
}

/** Whether the ledgers of the open runs of a repository can be read with the keys of the App. */
async function examineLedgers(
  repository: Repository,
  { ledgerKey, data }: Pick<AppSettings, 'ledgerKey' | 'data'>,
): Promise<readonly Finding[]> {
  const seals = openSeals(parseSealKeys(ledgerKey));
  const looking = { seals, data: join(data, 'seals'), now: () => new Date(), closed: false, write: false };
  const found = await sealRepository(repository, looking);
  if (found.length === 0) return [ok('ledgers', `all open runs of the App are sealed with ${seals.current}`)];
  return found.map(findingFor);
}

function findingFor({ run, key, trouble }: LedgerSeal): Finding {
  if (trouble !== undefined)
    return problem('ledgers', `the ledger of ${run} cannot be believed: ${trouble.why}`, trouble.remedy);
  if (key === null)
    return problem(
      'ledgers',
      `the ledger of ${run} has no seal`,
      'If it is from before an upgrade, seal it with `coxswain seal`',
    );
  return note('ledgers', `${run} is sealed with ${key}`);
}
