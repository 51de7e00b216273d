import type { AppSettings } from '../../app/environment/settings.ts';
import { type Identity, missingOf } from '../../app/identity.ts';
import { webhookPath } from '../../app/webhook-server.ts';
import type { Connection } from '../../github/octokit/connect.ts';
import { parseSealKeys, type SealKey } from '../../seal/keys.ts';
import { type Finding, note, ok, problem } from './finding.ts';

const appSettings = '"Permissions & events" in the settings of the App';

/** The App itself: its keys, its permissions and events, and whether GitHub reaches it. */
export async function examineApp(
  app: Connection,
  { slug, missing, unheard }: Identity,
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
