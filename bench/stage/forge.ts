import { randomBytes } from 'node:crypto';
import { type Forge, type App as Registered, type RequestHook, startForge } from '@coxswain/forge';
import { Octokit } from '@octokit/rest';
import type { Role } from '../measure/part.ts';

/** The small GitHub the benchmarks run against, in a process of its own. */
export interface ForgeSettings {
  /** One repository each, called `widgets`: to GitHub's limits, an installation is what counts. */
  readonly owners: readonly string[];
  /** Beside those that the run needs. */
  readonly moreFiles: number;
  readonly issues: number;
  readonly files: Readonly<Record<string, string>>;
}

export interface ForgeReady {
  readonly url: string;
  readonly apiUrl: string;
  /** Ada may write everywhere. */
  readonly token: string;
  /** What a workflow of each owner's repository would be given. */
  readonly actionsTokens: Readonly<Record<string, string>>;
  readonly app: { readonly id: number; readonly privateKey: string };
}

export type ForgeQuestion =
  /** Installs the App everywhere, and tells it what happens there. */
  | { readonly ask: 'install'; readonly webhookUrl: string; readonly secret: string }
  /** From now on webhooks are delivered, or not. */
  | { readonly ask: 'deliver' | 'mute' }
  /** Ada says something; the answer bears the webhook that tells of it. */
  | { readonly ask: 'comment'; readonly owner: string; readonly number: number; readonly body: string }
  | { readonly ask: 'seen' };

export interface ForgeAnswer {
  /** How many requests the API has answered so far. */
  readonly requests: number;
  /** When each comment was given its first reaction, by the comment's id, as `nowMs` tells it. */
  readonly reactions: Readonly<Record<string, number>>;
  /** Of the newest comment. */
  readonly id: number;
  readonly payload: unknown;
}

type Answering = Role<ForgeReady, ForgeQuestion, ForgeAnswer>;

export async function openForge(settings: ForgeSettings): Promise<Answering> {
  let payload: unknown = null;
  const { onRequest, reactions } = watchReactions();
  const forge = await startForge({
    onRequest,
    onDelivery: (event, delivered) => {
      if (event === 'issue_comment') payload = delivered;
    },
  });
  const token = await settle(forge, settings);
  const app = register(forge, settings);
  const { url, apiUrl } = forge;
  const { owners } = settings;
  const actionsTokens = Object.fromEntries(owners.map((owner) => [owner, actionsToken(forge, owner)]));
  const carryOut = directorOf({ forge, app, owners, ada: new Octokit({ auth: token, baseUrl: apiUrl }) });
  return {
    ready: { url, apiUrl, token, actionsTokens, app: { id: app.id, privateKey: app.private_key } },
    async answer(question) {
      const id = await carryOut(question);
      return { requests: forge.requests.total, reactions: Object.fromEntries(reactions), id, payload };
    },
    end: () => forge.stop(),
  };
}

interface Means {
  readonly forge: Forge;
  readonly app: Registered;
  readonly owners: readonly string[];
  readonly ada: Octokit;
}

/** Does what is asked; answers with the id of the newest comment. */
function directorOf({
  forge: { seed },
  app,
  owners,
  ada,
}: Means): (question: ForgeQuestion) => Promise<number> {
  let url = nowhere;
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
        seed.setWebhook(app, { url: question.ask === 'deliver' ? url : nowhere });
        break;
      case 'comment': {
        const { owner, number: issue_number, body } = question;
        const { data } = await ada.rest.issues.createComment({ owner, repo: 'widgets', issue_number, body });
        newest = data.id;
        break;
      }
      case 'seen':
    }
    return newest;
  };
}

/** Where deliveries are refused at once. */
const nowhere = 'http://127.0.0.1:1/';

async function settle(forge: Forge, { owners, moreFiles, issues, files }: ForgeSettings): Promise<string> {
  const { seed } = forge;
  const token = seed.addUser('ada');
  const ada = new Octokit({ auth: token, baseUrl: forge.apiUrl });
  for (const owner of owners) {
    seed.addOrganization(owner);
    await seed.addRepository({ owner, name: 'widgets', files: { ...files, ...manyFiles(moreFiles) } });
    seed.setCollaborator(`${owner}/widgets`, 'ada', 'write');
    seed.settings(`${owner}/widgets`, { actions_may_create_pull_requests: true });
    for (let number = 1; number <= issues; number++) {
      await ada.rest.issues.create({ owner, repo: 'widgets', title: `Task ${number}`, body: 'As it says.' });
    }
  }
  return token;
}

const permissions = {
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
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
    webhook_url: nowhere,
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

/** Notes when a reaction is on show: when the forge has made it. */
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

/** The machine's own clock, the same in every process. */
export function nowMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
