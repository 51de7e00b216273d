import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Forge, type ForgeOptions, startForge } from '@coxswain/forge';
import { probeSandbox } from '../../src/agent/index.ts';
import { git } from '../../src/git/git.ts';
import type { GitHubEventOf, Repository as GitHubRepository } from '../../src/github/events/github-event.ts';
import { type Connection, connect } from '../../src/github/octokit/connect.ts';
import { handleGitHubEvent } from '../../src/runs/handle-event.ts';
import type { LiveRuns } from '../../src/runs/run/live-runs.ts';
import type { Run } from '../../src/runs/run/run.ts';
import type { Services } from '../../src/runs/run/services.ts';
import { sweepRepository } from '../../src/runs/sweep.ts';
import type { ButtonName } from '../../src/words/phases/row.ts';
import { workCopy } from '../git/work-copy.ts';
import { type AppParts, openApp } from './opened-app.ts';
import { registered } from './registered.ts';

export const at = { owner: 'acme', repo: 'api' } as const;
const name = 'acme/api';

const files = {
  '.github/coxswain.yml':
    'version: 1\nagent: { use: command, command: [sh, agent.sh] }\nverifiers:\n  - { name: test, run: "true" }\n',
  'agent.sh': 'echo "iteration $COXSWAIN_ITERATION" >> notes.txt\n',
};

/** A forge, people, and the App without its server; the fixture delivers the events. */
export interface RunsFixture {
  readonly forge: Forge;
  /** The clone URL of the repository. */
  readonly url: string;
  readonly ada: Connection;
  readonly bob: Connection;
  readonly mia: Connection;
  readonly rea: Connection;
  /** A client with a token. */
  client(token: string): Connection;
  readonly adasToken: string;
  /** Runs Git with Ada's token, which has the role write. */
  gitAsAda(...args: readonly string[]): Promise<string>;
  /** Posts a comment and delivers it `times` times; resolves when all its effects are done. */
  says(login: Login, number: number, text: string, times?: number): Promise<number>;
  /** Delivers a comment that was posted before. */
  hears(login: Login, number: number, comment: PostedComment['comment'], times?: number): Promise<void>;
  /** Deletes a comment and delivers that. */
  deletes(login: Login, number: number, comment_id: number): Promise<void>;
  /** Clicks a button of a check run and delivers that; the effects are not waited for. */
  clicks(login: Login, click: ClickedButton): Promise<void>;
  /** Delivers that an issue or a pull request was closed or reopened, or that a branch was pushed to. */
  turns(what: number | string): Promise<void>;
  /** Sets the trigger label and delivers that. */
  labels(login: Login, issue: number): Promise<void>;
  /** Lets time pass on the forge. */
  wait(seconds: number): void;
  /** Lets time pass for the App, as its next sweep sees it. */
  waitInApp(seconds: number): void;
  /** Commits files on top of a branch and pushes it, to `to` if given; nothing is delivered. */
  pushes(login: Login, push: Push): Promise<string>;
  sweep(): Promise<boolean>;
  /** Delivers that checks on a branch have passed; resolves when all its effects are done. */
  checksPass(number: number): Promise<void>;
  /** Delivers that a check has ended; resolves when all its effects are done. */
  checkEnds(number: number, ended: EndedCheck): Promise<void>;
  /** A run in the App's process, with what it needs for its effects. */
  run(number: number): {
    readonly run: Run;
    readonly services: Services;
    readonly liveRuns: LiveRuns;
  };
  /** Replaces the App by a new one without any cache, as on another machine. */
  restart(): Promise<void>;
  /** From now on everything reaches another process of the App, which goes on as it was when there is one. */
  switches(): void;
  /** Everything reaches a new process on another machine, and the one before is left alone until the end. */
  succeeds(): void;
  /** The App's comments, oldest first, without hidden markers. */
  appComments(number: number): Promise<readonly string[]>;
  /** The warnings and errors that the App has logged. */
  readonly warnings: readonly string[];
  end(): Promise<void>;
}

export type EndedCheck = Pick<GitHubEventOf<'check_ended'>, 'check_name' | 'app' | 'head_sha'>;

export interface ClickedButton {
  readonly check: {
    readonly id: number;
    readonly name: string;
    readonly external_id: string | null;
    readonly head_sha: string;
  };
  readonly identifier: ButtonName;
}

export interface Push {
  readonly from: string;
  readonly to?: string;
  /** Committed with this message; without files, `merge` is merged. */
  readonly files?: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly merge?: string;
  readonly force?: boolean;
}

/** Ada and Bob have the role write, Mia maintain and Rea read. */
type Login = 'ada' | 'bob' | 'mia' | 'rea';

/** A forge's data folder with its accounts, from which any number of fixtures can start. */
export interface SavedForge {
  readonly dir: string;
  readonly tokens: Readonly<Record<Login, string>>;
  readonly app: ReturnType<typeof registered>;
  remove(): Promise<void>;
}

/** Runs the setup shared by several tests once, and keeps the resulting forge. */
export async function saveForge(setup: (fixture: RunsFixture) => Promise<void>): Promise<SavedForge> {
  const dir = await mkdtemp(join(tmpdir(), 'coxswain-saved-'));
  const forge = await startForge({ dir });
  const tokens = await populate(forge);
  const app = registered(forge, name);
  const remove = () => rm(dir, { recursive: true, force: true });
  await forge.stop();
  const fixture = await startRunsFixture({ dir, tokens, app, remove }, dir);
  await setup(fixture).finally(() => fixture.end());
  return { dir, tokens, app, remove };
}

export interface Like extends Pick<ForgeOptions, 'onRequest' | 'largestPage'> {
  readonly holdQuestionsMs?: number;
}

/** Starts a fixture on a copy of the saved forge, or directly in `folder`. */
export async function startRunsFixture(
  { dir, tokens, app }: SavedForge,
  folder?: string,
  { holdQuestionsMs = 0, ...like }: Like = {},
): Promise<RunsFixture> {
  const home = await mkdtemp(join(tmpdir(), 'coxswain-runs-'));
  const copy = folder ?? join(home, 'forge');
  if (folder === undefined) await cp(dir, copy, { recursive: true });
  const clock = { aheadMs: 0, appAheadMs: 0 };
  const forge = await startForge({ ...like, dir: copy, now: () => new Date(Date.now() + clock.aheadMs) });
  const client = (token: string) => connect({ baseUrl: forge.apiUrl, token, retryUnitMs: 0 });
  const people = {
    ada: client(tokens.ada),
    bob: client(tokens.bob),
    mia: client(tokens.mia),
    rea: client(tokens.rea),
  };
  const repository = await describeRepository(people.ada);
  const warnings: string[] = [];
  const sandbox = await probeSandbox('off');
  const prerequisites = { app, forge, sandbox, warnings, repository, clock, holdQuestionsMs };
  const open = (data: string) => openApp({ ...prerequisites, data });
  let parts = open(join(home, 'first'));
  let other: AppParts | undefined;
  const runs = () => parts.liveRuns.in(parts.repository);
  const left: AppParts[] = [];
  const remote = { url: repository.clone_url, token: async () => tokens.ada };
  const gitAsAda = (...args: readonly string[]) => git(args, { cwd: join(home, 'clone'), remote });
  await git(['init', '--quiet', '--bare', join(home, 'clone')]);
  const hears: RunsFixture['hears'] = async (login, number, comment, times = 1) => {
    const event = toCommentEvent(repository, { login, number, comment });
    await Promise.all(Array.from({ length: times }, () => handleGitHubEvent(event, runs())));
    await parts.done();
  };
  return {
    forge,
    url: repository.clone_url,
    ...{ ada: people.ada, bob: people.bob, mia: people.mia, rea: people.rea },
    client,
    adasToken: tokens.ada,
    gitAsAda,
    warnings,
    says: async (login, number, body, times = 1) => {
      const place = { ...at, issue_number: number };
      const { data: comment } = await people[login].rest.issues.createComment({ ...place, body });
      await hears(login, number, comment, times);
      return comment.id;
    },
    checksPass: async (number) => {
      const sender = { login: 'github-actions[bot]', id: 0, bot: true };
      const passed = { kind: 'checks_passed', branch: 'coxswain/x', numbers: [number], sender } as const;
      await handleGitHubEvent({ ...passed, repository, installation_id: 1 }, runs());
      await parts.done();
    },
    checkEnds: async (number, ended) => {
      const sender = { login: 'github-actions[bot]', id: 0, bot: true };
      const event = { kind: 'check_ended', branch: 'coxswain/x', numbers: [number], sender } as const;
      await handleGitHubEvent({ ...event, ...ended, repository, installation_id: 1 }, runs());
      await parts.done();
    },
    hears,
    deletes: async (login, number, comment_id) => {
      const { data: comment } = await people[login].rest.issues.getComment({ ...at, comment_id });
      await people[login].rest.issues.deleteComment({ ...at, comment_id });
      const author = comment.user?.login ?? '';
      const event = toCommentEvent(repository, { login: author, number, comment });
      const { data: sender } = await people[login].rest.users.getAuthenticated();
      const by = { login, id: sender.id, bot: false };
      await handleGitHubEvent({ ...event, action: 'deleted', sender: by }, runs());
      await parts.done();
    },
    pushes: (login, push) =>
      pushAs(`${forge.url.replace('://', `://x-access-token:${tokens[login]}@`)}`, push),
    run: (number) => {
      const { liveRuns } = parts;
      return { run: liveRuns.of(parts.repository, number), services: liveRuns.services, liveRuns };
    },
    clicks: async (login, { check, identifier }) => {
      const { id } = (await people[login].rest.users.getAuthenticated()).data;
      const { head_sha, external_id } = check;
      const button = { check_run_id: check.id, check_name: check.name, external_id: external_id ?? '' };
      const origin = { repository, installation_id: 1, sender: { login, id, bot: false } };
      await handleGitHubEvent({ kind: 'click', ...origin, ...button, identifier, head_sha }, runs());
    },
    turns: async (what) => {
      const sender = { login: 'ada', id: 1, bot: false };
      const turned = { kind: 'dependency_turned', what, sender } as const;
      await handleGitHubEvent({ ...turned, repository, installation_id: 1 }, runs());
      await parts.done();
    },
    labels: async (login, number) => {
      const labels = ['coxswain'];
      await people[login].rest.issues.addLabels({ ...at, issue_number: number, labels });
      const { data } = await people.ada.rest.issues.get({ ...at, issue_number: number });
      const { id } = (await people[login].rest.users.getAuthenticated()).data;
      const issue = { number, title: data.title, body: data.body ?? '', open: true, is_pull: false, labels };
      const sender = { login, id, bot: false };
      const event = { kind: 'labeled', repository, installation_id: 1, at: data.updated_at, sender } as const;
      await handleGitHubEvent({ ...event, label: 'coxswain', issue }, runs());
      await parts.done();
    },
    wait: (seconds) => {
      clock.aheadMs += seconds * 1000;
    },
    waitInApp: (seconds) => {
      clock.appAheadMs += seconds * 1000;
    },
    sweep: async () => {
      const hasRuns = await sweepRepository(runs(), { isGone: () => false });
      await parts.done();
      return hasRuns;
    },
    restart: async () => {
      await parts.close();
      parts = open(await mkdtemp(join(home, 'next-')));
    },
    switches: () => {
      [parts, other] = [other ?? open(join(home, 'second')), parts];
    },
    succeeds: () => {
      left.push(parts);
      parts = open(join(home, `next-${left.length}`));
    },
    appComments: (number) => commentsOf(people.ada, number),
    end: async () => {
      await Promise.all([...left, other].map((each) => each?.close()));
      await parts.close();
      await forge.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function pushAs(url: string, { from, to = from, force = false, ...work }: Push): Promise<string> {
  const remote = `${url}/${name}.git`;
  const copy = await workCopy();
  try {
    await copy.git('fetch', '--quiet', remote, from);
    await copy.git('checkout', '--quiet', 'FETCH_HEAD');
    if (work.merge === undefined) await copy.commit(work.files);
    else await copy.git('pull', '--quiet', '--no-rebase', '--no-edit', remote, work.merge);
    if (work.message !== undefined) await copy.git('commit', '--quiet', '--amend', '-m', work.message);
    await copy.git('push', '--quiet', ...(force ? ['--force'] : []), remote, `HEAD:refs/heads/${to}`);
    return await copy.git('rev-parse', 'HEAD');
  } finally {
    await copy.remove();
  }
}

async function populate({ seed }: Forge): Promise<SavedForge['tokens']> {
  seed.addOrganization('acme');
  await seed.addRepository({ owner: 'acme', name: 'api', files });
  const person = (login: string, role: 'read' | 'write' | 'maintain') => {
    const token = seed.addUser(login);
    seed.setCollaborator(name, login, role);
    return token;
  };
  return {
    ada: person('ada', 'write'),
    bob: person('bob', 'write'),
    mia: person('mia', 'maintain'),
    rea: person('rea', 'read'),
  };
}

async function describeRepository(client: Connection): Promise<GitHubRepository> {
  const { data } = await client.rest.repos.get(at);
  const { id, default_branch, clone_url } = data;
  return { id, owner: at.owner, name: at.repo, default_branch, clone_url, private: data.private };
}

interface PostedComment {
  readonly login: string;
  readonly number: number;
  readonly comment: {
    readonly id: number;
    readonly body?: string | undefined;
    readonly node_id: string;
    readonly created_at: string;
    readonly updated_at: string;
    readonly user: { readonly id: number } | null;
    readonly performed_via_github_app?: { readonly id: number; readonly slug?: string | undefined } | null;
  };
}

/** The event that the webhook of the comment leads to. */
function toCommentEvent(
  repository: GitHubRepository,
  { login, number, comment }: PostedComment,
): GitHubEventOf<'comment'> {
  const { id, node_id, body = '', created_at, updated_at, performed_via_github_app: app } = comment;
  const via_app = app ? { id: app.id, slug: app.slug ?? '' } : null;
  const facts = { id, node_id, body, former: null, created_at, updated_at, via_app, is_own_text: true };
  const author = { login, id: comment.user?.id ?? 0, bot: false };
  const issue = { number, title: 'Fix the clock', body: '', open: true, is_pull: number > 1, labels: [] };
  return {
    ...{ kind: 'comment', action: 'created', repository, installation_id: 1, at: updated_at },
    ...{ comment: facts, author, sender: author, issue },
  };
}

async function commentsOf(client: Connection, number: number): Promise<readonly string[]> {
  const comments = await client.paginate(client.rest.issues.listComments, { ...at, issue_number: number });
  const own = comments.flatMap(({ user, body = '' }) => (user?.login === 'coxswain[bot]' ? [body] : []));
  return own.map((body) => body.replace(/<!--[\s\S]*?-->/g, '').trim());
}
