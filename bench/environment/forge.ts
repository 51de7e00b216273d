import { randomBytes } from 'node:crypto';
import { type Forge, type App as Registered, type RequestHook, startForge } from '@coxswain/forge';
import { Octokit } from '@octokit/rest';
import { nowMs } from '../measure/clock.ts';
import type { PartHandler } from '../measure/part.ts';

/** The forge that the benchmarks run against, in a separate process. */
export interface ForgeSettings {
  /** Each has one repository, `widgets`: GitHub's limits apply to each installation separately. */
  readonly owners: readonly string[];
  /** How many files to add to those in `files`. */
  readonly moreFiles: number;
  readonly issues: number;
  readonly files: Readonly<Record<string, string>>;
  /** How many more repositories the first owner has, in which the App is installed from the beginning. */
  readonly installed?: number;
}

export interface ForgeReady {
  readonly url: string;
  readonly apiUrl: string;
  /** Ada's, who may write to every repository. */
  readonly token: string;
  /** Ada's too, but one that the App got for her. */
  readonly userToken: string;
  /** The workflow token of each owner's repository. */
  readonly actionsTokens: Readonly<Record<string, string>>;
  readonly app: { readonly id: number; readonly privateKey: string };
}

export type ForgeQuestion =
  /** Installs the App on every repository and sends it webhooks. */
  | { readonly ask: 'install'; readonly webhookUrl: string; readonly secret: string }
  /** Turns the delivery of webhooks on or off. */
  | { readonly ask: 'deliver' | 'mute' }
  /** Ada comments; the answer contains the payload of the webhook. */
  | { readonly ask: 'comment'; readonly owner: string; readonly number: number; readonly body: string }
  | { readonly ask: 'status' };

export interface ForgeAnswer {
  /** How many requests the API has answered so far. */
  readonly requests: number;
  /** When each comment was given its first reaction, by the comment's id, on the clock of `nowMs`. */
  readonly reactions: Readonly<Record<string, number>>;
  /** The id of the newest comment. */
  readonly id: number;
  readonly payload: unknown;
}

/** For who opens it in their own process, with the forge itself. */
type ForgePart = PartHandler<ForgeReady, ForgeQuestion, ForgeAnswer> & { readonly forge: Forge };

export async function openForge(settings: ForgeSettings): Promise<ForgePart> {
  let payload: unknown = null;
  const { onRequest, reactions } = watchReactions();
  const forge = await startForge({
    onRequest,
    onDelivery: (event, delivered) => {
      if (event === 'issue_comment') payload = delivered;
    },
  });
  const token = await populate(forge, settings);
  const app = register(forge, settings);
  await addInstalled(forge, app, settings);
  const { url, apiUrl } = forge;
  const { owners } = settings;
  const actionsTokens = Object.fromEntries(owners.map((owner) => [owner, actionsToken(forge, owner)]));
  const perform = questionHandler({ forge, app, owners, ada: new Octokit({ auth: token, baseUrl: apiUrl }) });
  return {
    forge,
    ready: {
      ...{ url, apiUrl, token, actionsTokens, app: { id: app.id, privateKey: app.private_key } },
      userToken: forge.seed.userToken(app, 'ada'),
    },
    async answer(question) {
      const id = await perform(question);
      return { requests: forge.requests.total, reactions: Object.fromEntries(reactions), id, payload };
    },
    end: () => forge.stop(),
  };
}

interface Environment {
  readonly forge: Forge;
  readonly app: Registered;
  readonly owners: readonly string[];
  readonly ada: Octokit;
}

/** Performs what a question asks for and returns the id of the newest comment. */
function questionHandler({
  forge: { seed },
  app,
  owners,
  ada,
}: Environment): (question: ForgeQuestion) => Promise<number> {
  let url = unreachable;
  let newest = 0;
  return async (question) => {
    switch (question.ask) {
      case 'install':
        url = question.webhookUrl;
        seed.setWebhook(app, { url, secret: question.secret });
        for (const owner of owners) seed.installApp(app, [`${owner}/widgets`]);
        break;
      case 'deliver':
      case 'mute':
        seed.setWebhook(app, { url: question.ask === 'deliver' ? url : unreachable });
        break;
      case 'comment': {
        const { owner, number: issue_number, body } = question;
        const { data } = await ada.rest.issues.createComment({ owner, repo: 'widgets', issue_number, body });
        newest = data.id;
        break;
      }
      case 'status':
    }
    return newest;
  };
}

/** Connections to this address are refused at once. */
const unreachable = 'http://127.0.0.1:1/';

async function populate(forge: Forge, { owners, moreFiles, issues, files }: ForgeSettings): Promise<string> {
  const { seed } = forge;
  const token = seed.addUser('ada');
  const ada = new Octokit({ auth: token, baseUrl: forge.apiUrl });
  for (const owner of owners) {
    seed.addOrganization(owner);
    await seed.addRepository({ owner, name: 'widgets', files: { ...files, ...manyFiles(moreFiles) } });
    seed.setCollaborator(`${owner}/widgets`, 'ada', 'write');
    seed.settings(`${owner}/widgets`, { actions_may_create_pull_requests: true });
    for (let number = 1; number <= issues; number++) {
      await ada.rest.issues.create({
        owner,
        repo: 'widgets',
        title: `Task ${number}`,
        body: 'See the title.',
      });
    }
  }
  return token;
}

/** They are called `number-0` and so on. */
async function addInstalled(
  { seed }: Forge,
  app: Registered,
  { owners: [owner = ''], files, installed = 0 }: ForgeSettings,
): Promise<void> {
  const names: string[] = [];
  for (let nth = 0; nth < installed; nth++) {
    await seed.addRepository({ owner, name: `number-${nth}`, files });
    names.push(`${owner}/number-${nth}`);
  }
  for (const name of names) seed.setCollaborator(name, 'ada', 'write');
  if (names.length > 0) seed.installApp(app, names);
}

const permissions = {
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  statuses: 'write',
  metadata: 'read',
} as const;

function actionsToken({ seed }: Forge, owner: string): string {
  return seed.actionsToken(`${owner}/widgets`, permissions);
}

/** About 1 KiB each, no two the same, a hundred to a folder. */
function manyFiles(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const line = `export const value${index} = ${JSON.stringify('widget '.repeat(6) + index)};\n`;
      return [`src/part${Math.floor(index / 100)}/file${index}.js`, line.repeat(12)];
    }),
  );
}

function register({ seed }: Forge, { owners }: ForgeSettings): Registered {
  return seed.createApp({
    slug: 'coxswain',
    owner: owners[0] ?? '',
    webhook_url: unreachable,
    webhook_secret: randomBytes(16).toString('hex'),
    permissions,
    events: [
      'issues',
      'issue_comment',
      'pull_request',
      'pull_request_review',
      'check_run',
      'check_suite',
      'push',
    ],
  });
}

/** Records when the forge has created the first reaction to each comment. */
function watchReactions(): { onRequest: RequestHook; reactions: ReadonlyMap<string, number> } {
  const reactions = new Map<string, number>();
  const onRequest: RequestHook = async ({ method, path }, next) => {
    const reply = await next();
    const comment = /\/issues\/comments\/(\d+)\/reactions$/.exec(path)?.[1];
    if (comment !== undefined && method === 'POST' && !reactions.has(comment))
      reactions.set(comment, nowMs());
    return reply;
  };
  return { onRequest, reactions };
}
