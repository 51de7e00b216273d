import { randomBytes } from 'node:crypto';
import { Octokit } from '@octokit/rest';
import { type Forge, type App as Registered, startForge } from '../../src/forge/index.ts';
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
  readonly app: { readonly id: number; readonly privateKey: string; readonly secret: string };
}

export type ForgeQuestion =
  /** Installs the App everywhere, and tells it what happens there. */
  | { readonly ask: 'install'; readonly webhookUrl: string }
  /** From now on nothing is delivered. */
  | { readonly ask: 'mute' }
  /** When each comment was given its reaction so far, by the comment's id; milliseconds of `process.hrtime`. */
  | { readonly ask: 'reactions' };

export async function openForge(
  settings: ForgeSettings,
): Promise<Role<ForgeReady, ForgeQuestion, Record<string, number>>> {
  const forge = await startForge();
  const token = await settle(forge, settings);
  const app = register(forge, settings);
  const reactions = watchReactions(forge);
  return {
    ready: {
      url: forge.url,
      apiUrl: forge.apiUrl,
      token,
      actionsTokens: Object.fromEntries(settings.owners.map((owner) => [owner, actionsToken(forge, owner)])),
      app: { id: app.id, privateKey: app.private_key, secret: app.webhook_secret },
    },
    async answer(question) {
      if (question.ask === 'install') {
        forge.seed.setWebhook(app, { url: question.webhookUrl });
        for (const owner of settings.owners) forge.seed.installApp(app, [`${owner}/widgets`]);
      }
      if (question.ask === 'mute') forge.seed.setWebhook(app, { url: 'http://127.0.0.1:1/' });
      return Object.fromEntries(reactions);
    },
    end: () => forge.stop(),
  };
}

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
    webhook_url: 'http://127.0.0.1:1/',
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

/** The forge logs a request when it is answered; a reaction is on show then. */
function watchReactions({ requests }: Forge): ReadonlyMap<string, number> {
  const seen = new Map<string, number>();
  const add = requests.add.bind(requests);
  requests.add = (request) => {
    const comment = /\/issues\/comments\/(\d+)\/reactions$/.exec(request.path)?.[1];
    if (comment !== undefined && request.method === 'POST' && !seen.has(comment)) seen.set(comment, nowMs());
    add(request);
  };
  return seen;
}

/** The machine's own clock, the same in every process. */
export function nowMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
