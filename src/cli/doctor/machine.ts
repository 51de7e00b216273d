import { examineSandbox, nodeWithoutProxy } from '../../agent/index.ts';
import { type AppSettings, machineSettings } from '../../app/environment/settings.ts';
import { checkGit } from '../../git/check.ts';
import { onlyExclude } from '../../text/globs/repository-glob.ts';
import { type Finding, note, ok, problem } from './finding.ts';

/** What keeps this machine safe from the programs of agents, as far as it shows outside of the App itself. */
export async function examineMachine(settings: AppSettings): Promise<readonly Finding[]> {
  return [
    await gitFinding(),
    ...(settings.sandbox === 'off' ? [switchedOff] : await sandbox(settings)),
    user(),
    operatorFile(settings),
    models(settings),
    ...targets(settings),
    ...(await proxies()),
  ];
}

async function gitFinding(): Promise<Finding> {
  const why = await checkGit().then(
    () => undefined,
    (fault: unknown) => (fault instanceof Error ? fault.message : String(fault)),
  );
  if (why === undefined) return ok('git', 'Git is installed, and new enough');
  return problem('git', `the App cannot start: ${why}`, 'install it where the App finds it on its PATH');
}

const switchedOff = note(
  'sandbox',
  'the sandbox is switched off: agents and verifiers have the permissions of the App, and can read its keys',
);

async function sandbox(settings: AppSettings): Promise<readonly Finding[]> {
  const { problem: why, unbounded } = await examineSandbox(machineSettings(settings));
  if (why === null)
    return [
      ok('sandbox', 'the sandbox works'),
      unbounded === null
        ? ok('sandbox-limits', 'memory, processes and processors of programs can be bounded')
        : note('sandbox-limits', `${unbounded}. This may be another cgroup than the App's: its log says`),
    ];
  const remedy = 'docs/sandbox.md lists what else can be in the way';
  if (settings.sandbox === 'required') return [problem('sandbox', `no run can work: ${why}`, remedy)];
  return [note('sandbox', `agents and verifiers have the permissions of the App, because ${why}`)];
}

function user(): Finding {
  if (process.getuid?.() !== 0) return ok('user', 'doctor does not run as root, and neither should the App');
  return note('user', 'doctor runs as root: the App should have a user of its own, without other rights');
}

function operatorFile({ operatorFile: { bounds } }: AppSettings): Finding {
  if (bounds.repositories === undefined)
    return note('operator-file', 'everyone who installs the App may run programs on this machine');
  const listed = bounds.repositories.join(', ') || 'no repository';
  if (!onlyExclude(bounds.repositories)) return ok('operator-file', `runs are for ${listed} only`);
  const others = listed.replaceAll('!', '');
  const text = `runs are for every repository but ${others}, and everyone may install the App`;
  return note('operator-file', text);
}

function models({ providers }: AppSettings): Finding {
  if (providers.length === 0) return note('models', 'no key of a model is set, so agents reach none');
  return ok('models', `agents reach ${providers.map(({ host }) => host).join(', ')}`);
}

/** Whatever is wrong with one has kept the operator's file from being read. */
function targets({ operatorFile: { notify } }: AppSettings): readonly Finding[] {
  if (notify.length === 0) return [];
  const listed = notify.map(({ name, to }) => `${name} (${to})`).join(', ');
  return [
    ok(
      'targets',
      `runs can notify ${listed}; all of their variables are set; \`coxswain notify --test\` tries them`,
    ),
  ];
}

async function proxies(): Promise<readonly Finding[]> {
  const version = await nodeWithoutProxy();
  if (version === null) return [];
  const text = `\`fetch\` of Node.js ${version} reaches no host, whatever a configuration allows`;
  return [note('node-proxy', `${text}: from 22.21 and 24 on it uses our proxy`)];
}
