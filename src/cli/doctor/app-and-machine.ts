import { examineSandbox, nodeWithoutProxy } from '../../agent/index.ts';
import { type AppSettings, machineSettings } from '../../app/environment/app-settings.ts';
import { type AppIdentity, missingOf } from '../../app/installations.ts';
import { webhookPath } from '../../app/webhook-server.ts';
import { checkGit } from '../../git/git-version.ts';
import type { Connection } from '../../github/octokit/connect.ts';
import { parseSealKeys, type SealKey } from '../../seal/seal-keys.ts';
import { onlyExclude } from '../../text/globs.ts';
import { type Finding, note, ok, problem } from './doctor-finding.ts';

const appSettings = '"Permissions & events" in the settings of the App';

/** The App itself: its keys, its permissions and events, and whether GitHub reaches it. */
export async function examineApp(
  app: Connection,
  { slug, missing, unheard }: AppIdentity,
  settings: AppSettings,
): Promise<readonly Finding[]> {
  return [
    ok('app', `GitHub knows the App ${slug}, and its private key is right`),
    ledgerKey(settings),
    missing.length === 0
      ? ok('permissions', 'it has every permission of app.yml')
      : problem('permissions', `it lacks ${missing.join(', ')}`, `Grant it under ${appSettings}`),
    unheard.length === 0
      ? ok('events', 'it is subscribed to every event of app.yml')
      : problem('events', `it does not hear ${unheard.join(', ')}`, `Subscribe to it under ${appSettings}`),
    ...(await installations(app)),
    ...(await webhook(app)),
    await deliveries(app),
  ];
}

function ledgerKey({ ledgerKey: setting }: AppSettings): Finding {
  const { current, known, lost } = parseSealKeys(setting);
  const among = (wanted: SealKey['use']) =>
    known.filter(({ id, use }) => id !== current.id && use === wanted).map(({ id }) => id);
  const rest: readonly (readonly [string, readonly string[]])[] = [
    ['also believed', among('all')],
    ['believed for ended runs', among('retired')],
    ['lost', lost],
  ];
  const said = rest.flatMap(([what, ids]) => (ids.length === 0 ? [] : [`${what}: ${ids.join(', ')}`]));
  return ok('ledger-key', [`new entries are sealed with ${current.id}`, ...said].join('; '));
}

/** Those who installed the App must accept permissions that it asks for later. */
async function installations(app: Connection): Promise<readonly Finding[]> {
  const all = await app.paginate(app.rest.apps.listInstallations, { per_page: 100 });
  if (all.length === 0)
    return [problem('installation', 'it is not installed anywhere', 'Install it on a repository')];
  return all.flatMap(({ account, permissions, suspended_at }) => {
    const name = account !== null && 'login' in account ? account.login : 'an enterprise';
    if (suspended_at !== null)
      return [
        problem('installation', `${name} has suspended it`, 'Unsuspend it in the settings of the account'),
      ];
    const missing = missingOf(permissions);
    if (missing.length === 0) return [ok('installation', `${name} has accepted its permissions`)];
    const remedy = 'Accept the request for new permissions in the settings of the installation';
    return [problem('installation', `${name} has not granted ${missing.join(', ')}`, remedy)];
  });
}

async function webhook(app: Connection): Promise<readonly Finding[]> {
  const { data } = await app.rest.apps.getWebhookConfigForApp();
  const { url, secret, insecure_ssl, content_type } = data;
  if (url === undefined || url === '')
    return [problem('webhook-url', 'it has no webhook URL', `Set it to https://<your host>${webhookPath}`)];
  const isPlain = !url.startsWith('https://') || String(insecure_ssl) === '1';
  return [
    isPlain
      ? problem(
          'webhook-url',
          `its webhook goes to ${url} without a checked certificate`,
          'Put TLS in front of it',
        )
      : ok('webhook-url', `its webhook goes to ${url}`),
    ...(url.endsWith(webhookPath) ? [] : [note('webhook-path', `that does not end with ${webhookPath}`)]),
    ...(content_type === 'json'
      ? []
      : [
          problem(
            'webhook-content',
            'its webhook does not send JSON',
            'Set its content type to application/json',
          ),
        ]),
    secret === undefined || secret === ''
      ? problem('webhook-secret', 'its webhook has no secret', 'Set it to the value of WEBHOOK_SECRET')
      : ok('webhook-secret', 'its webhook has a secret'),
  ];
}

/** GitHub never tries again by itself; the sweep does, for what the App handles. */
async function deliveries(app: Connection): Promise<Finding> {
  const { data } = await app.rest.apps.listWebhookDeliveries({ per_page: 50 });
  const [newest] = data;
  if (newest === undefined)
    return note('deliveries', 'GitHub has not delivered anything to it in three days');
  const failed = data.filter(({ status_code }) => !isReceived(status_code)).length;
  const counted = `${failed} of the last ${data.length} deliveries failed`;
  if (isReceived(newest.status_code)) {
    return failed === 0
      ? ok('deliveries', `it received the last ${data.length} deliveries`)
      : note('deliveries', `it receives deliveries now, but ${counted}`);
  }
  const last = `the newest, ${newest.event} at ${newest.delivered_at}: ${newest.status_code || 'no answer'}`;
  return problem(
    'deliveries',
    `${counted}; ${last}`,
    'Start the App, and make sure that GitHub can reach it',
  );
}

function isReceived(status: number): boolean {
  return status >= 200 && status < 300;
}

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
