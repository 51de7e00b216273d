import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Forge, type App as RegisteredApp, type RepositoryEvent, startForge } from '@coxswain/forge';
import { Octokit } from '@octokit/rest';
import { pino } from 'pino';
import { type App, startApp } from '../../app/app.ts';
import { askedEvents, askedPermissions } from '../../app/asked-permissions.ts';
import { type AppSettings, withDefaults } from '../../app/environment/app-settings.ts';
import type { AppEnvironment } from '../../app/environment/environment.ts';
import { providers, sandboxMode } from '../../app/environment/programs.ts';
import { given } from '../../app/environment/values.ts';
import type { Variables } from '../../app/environment/variables.ts';
import { webhookPath } from '../../app/webhook-server.ts';
import type { OperatorFile } from '../../config/operator/operator-schema.ts';
import { readOperatorFile } from '../../config/operator/read-operator-file.ts';
import { checkGit } from '../../git/git-version.ts';
import { newSealKey } from '../../seal/seal-keys.ts';
import type { State } from '../../steering/state/state.ts';
import { givenEnvironment } from '../terminal/own-environment.ts';
import { type Receiver, startReceiver } from './notification-receiver.ts';
import { bringRepository, type OwnRepository } from './own-repository.ts';
import { stories } from './stories/index.ts';
import { guideTo } from './story-guide.ts';
import { text as config } from './widgets/.github/coxswain.yml?text';
import { text as manifest } from './widgets/package.json?text';
import { text as readme } from './widgets/README.md?text';
import { text as receipt } from './widgets/src/receipt.js?text';
import { text as sum } from './widgets/src/sum.js?text';
import { text as total } from './widgets/src/total.js?text';
import { text as receiptTest } from './widgets/test/receipt.test.js?text';
import { text as sumTest } from './widgets/test/sum.test.js?text';
import { text as totalTest } from './widgets/test/total.test.js?text';
import { text as vendorTest } from './widgets/test/vendor.test.js?text';
import { text as agent } from './widgets/tools/agent.yml?text';
import { text as lint } from './widgets/tools/lint.mjs?text';
import { text as secondOpinion } from './widgets/tools/second-opinion.yml?text';
import { text as money } from './widgets/vendor/money.js?text';
import { text as released } from './widgets/vendor/released.json?text';

/** A forge with repositories, issues, two people, and Coxswain installed as an App: all on this machine. */
export interface Demo {
  readonly forge: Forge;
  readonly app: App;
  readonly owner: 'acme';
  readonly repo: 'widgets' | 'gadgets';
  /** Tokens of the people; Ada is a maintainer, Grace may read. */
  readonly people: { readonly ada: string; readonly grace: string };
  /** Tells what happens in the repository from now on, in order. */
  listen(listener: (event: RepositoryEvent) => void): void;
  /** Tells what people are notified of from now on, as text. */
  readonly notifications: Pick<Receiver, 'listen'>;
  close(): Promise<void>;
}

interface StartOptions {
  readonly logLevel: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** What somebody has brought, besides the repositories of the stories. */
  readonly repository?: OwnRepository | undefined;
}

export async function startDemo({ logLevel, port, repository }: StartOptions): Promise<Demo> {
  await checkGit();
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-demo-'));
  const receiver = await startReceiver();
  // The forge is there first, because the App reads from it when it starts.
  let app: App | undefined;
  const listeners: ((event: RepositoryEvent) => void)[] = [];
  const forge = await startForge({
    onEvent: (event) => {
      for (const listener of listeners) listener(event);
    },
    website: {
      login: 'ada',
      admits: (headers) => app?.admits(headers) ?? false,
      beside: (path) => app && pageBeside(path, app.url, app.runs()),
    },
  });
  try {
    const people = await populate(forge);
    const registered = register(forge);
    startQueue(forge, registered);
    const own = repository && (await bringRepository(forge, repository));
    const settings = settingsFrom(givenEnvironment(), receiver, repository !== undefined);
    const environment = environmentOf(forge, { registered, folder, port, pageToken: people.ada, settings });
    const stage = { stories, owner: 'acme', repo: 'widgets', web: () => forge.url };
    const guide = guideTo({ ...stage, own: own ?? null, hasSandbox: () => app?.sandbox !== 'none' });
    const started = await startApp(environment, pino({ level: logLevel }, pino.destination(2)), guide);
    app = started;
    forge.seed.setWebhook(registered, { url: `${started.url}${webhookPath}` });
    forge.seed.installApp(registered, ['acme/widgets', 'acme/gadgets', ...(own === undefined ? [] : [own])]);
    const close = async () => {
      await started.stop();
      await receiver.close();
      await forge.stop();
      await rm(folder, { recursive: true, force: true });
    };
    const listen: Demo['listen'] = (listener) => void listeners.push(listener);
    return {
      ...({ forge, app: started, owner: 'acme', repo: 'widgets', people, listen, close } as const),
      notifications: receiver,
    };
  } catch (fault) {
    await receiver.close();
    await forge.stop();
    await rm(folder, { recursive: true, force: true });
    throw fault;
  }
}

/** Creates the people, the repository and its issues, before Coxswain is installed. */
async function populate(forge: Forge): Promise<Demo['people']> {
  const { seed } = forge;
  const ada = seed.addUser('ada');
  const grace = seed.addUser('grace');
  seed.addOrganization('acme');
  const repositories = { widgets: 'Counts widgets', gadgets: 'Merged through a merge queue' };
  for (const [name, description] of Object.entries(repositories)) {
    const files = name === 'gadgets' ? { ...widgets, [configPath]: `${config}${mergedByQueue}` } : widgets;
    await seed.addRepository({ owner: 'acme', name, files: { ...files }, description });
    seed.setCollaborator(`acme/${name}`, 'ada', 'maintain');
    seed.setCollaborator(`acme/${name}`, 'grace', 'read');
  }
  const { issues } = personClient(forge, ada).rest;
  for (const { repo = 'widgets', issue, others = [] } of stories) {
    for (const { title, body } of [issue, ...others])
      await issues.create({ owner: 'acme', repo, title, body });
  }
  return { ada, grace };
}

const configPath = '.github/coxswain.yml';
const mergedByQueue = 'approval: { finish: merge }\n';

/** The default branch of the gadgets has a merge queue, which wants Coxswain's check of each group. */
function startQueue({ seed }: Forge, { id: integration_id }: RegisteredApp): void {
  const required_status_checks = [{ context: 'Coxswain', integration_id }];
  seed.addRuleset('acme/gadgets', {
    rules: [
      { type: 'merge_queue' },
      { type: 'required_status_checks', parameters: { required_status_checks } },
    ],
  });
}

/** Makes a plain Octokit for a person, without Coxswain's rate limits and retries. */
export function personClient(forge: Pick<Forge, 'apiUrl'>, token: string): Octokit {
  const ignore = () => undefined;
  // Requests that fail because the demo ends are nobody's concern; others are thrown.
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return new Octokit({ auth: token, baseUrl: forge.apiUrl, log });
}

/** Registers the App with the permissions and events of `app.yml`. */
function register({ seed }: Forge): RegisteredApp {
  return seed.createApp({
    slug: 'coxswain',
    name: 'Coxswain',
    owner: 'acme',
    webhook_url: '',
    webhook_secret: randomBytes(16).toString('hex'),
    permissions: Object.fromEntries(
      Object.entries(askedPermissions).map(([name, { level }]) => [name, level]),
    ),
    events: Object.keys(askedEvents),
  });
}

interface EnvironmentOptions {
  readonly registered: RegisteredApp;
  readonly folder: string;
  readonly port: number;
  readonly pageToken: string;
  readonly settings: Partial<AppSettings>;
}

/**
 * Agents run in a sandbox where there is one, unless the environment says otherwise. A repository of
 * somebody's own may have an agent that is none of ours: with its model's key, and installed where it is
 * missing.
 */
function settingsFrom(variables: Variables, receiver: Receiver, hasOwn: boolean): Partial<AppSettings> {
  const sandbox = given(variables, 'COXSWAIN_SANDBOX', sandboxMode) ?? 'preferred';
  const operatorFile = operatorFileFor(receiver, hasOwn);
  return { sandbox, operatorFile, ...(hasOwn && { providers: providers(variables) }) };
}

/** The file of an operator who lets runs notify the receiver, and may have agents installed. */
function operatorFileFor({ url, secret }: Receiver, install: boolean): OperatorFile {
  const target = { name: 'team', to: 'webhook', url, secret_env: 'TEAM_SECRET', private: true };
  // JSON is YAML, too.
  const text = JSON.stringify({ version: 1, notify: [target], install });
  const reading = readOperatorFile(text, { TEAM_SECRET: secret });
  if (reading.outcome === 'read') return reading.file;
  throw new Error(`could not read the demo's own operator file: ${JSON.stringify(reading.problems)}`);
}

function environmentOf(
  forge: Forge,
  { registered, folder, port, pageToken, settings }: EnvironmentOptions,
): AppEnvironment {
  return {
    ...withDefaults({
      appId: registered.id,
      privateKey: registered.private_key,
      ledgerKey: newSealKey(),
      apiUrl: forge.apiUrl,
      data: join(folder, 'data'),
      holdQuestionsMs,
      ...settings,
    }),
    webhookSecret: registered.webhook_secret,
    host: '127.0.0.1',
    port,
    logLevel: 'warn',
    webhookProxyUrl: null,
    signIn: null,
    pageToken,
  };
}

/** Long enough to see that the agent waits, and short enough to see that it is stopped and goes on later. */
const holdQuestionsMs = 3_000;

/** The App's page of what a page of the forge shows: an issue, a pull request, its branch or its changes. */
export function pageBeside(
  path: string,
  pageUrl: string,
  runs: readonly State[],
): { readonly url: string; readonly text: string } {
  const [named, kind] = /^\/[^/]+\/[^/]+\/(pull|issues)\/\d+/.exec(path) ?? [];
  if (named !== undefined)
    return {
      url: pageUrl + named,
      text: `Coxswain's page of this ${kind === 'pull' ? 'pull request' : 'issue'}`,
    };
  const shown = runs.find((state) => isOf(state, path));
  if (shown === undefined) return { url: `${pageUrl}/`, text: "Coxswain's page" };
  const { owner, repo, number } = shown.run;
  return { url: `${pageUrl}/${owner}/${repo}/pull/${number}`, text: `Coxswain's page of #${number}` };
}

/** Whether the page shows a file or the history of the branch, or what led to its newest commit. */
function isOf({ run, head }: State, path: string): boolean {
  const repository = `/${run.owner}/${run.repo}/`;
  if (!path.startsWith(repository)) return false;
  return `${path}/`.includes(`/${run.branch}/`) || path.endsWith(`...${head}`);
}

/** The repository of the demo, by path: a small program with its tests, and the script of the agent. */
export const widgets: Readonly<Record<string, string>> = {
  'README.md': readme,
  'package.json': manifest,
  [configPath]: config,
  'src/receipt.js': receipt,
  'src/sum.js': sum,
  'src/total.js': total,
  'test/receipt.test.js': receiptTest,
  'test/sum.test.js': sumTest,
  'test/total.test.js': totalTest,
  'test/vendor.test.js': vendorTest,
  'tools/agent.yml': agent,
  'tools/lint.mjs': lint,
  'tools/second-opinion.yml': secondOpinion,
  'vendor/money.js': money,
  'vendor/released.json': released,
};
