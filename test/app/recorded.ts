import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { workCopy } from '../git/work-copy.ts';
import { bundle, type RecordedComment, type RecordedIssue, recording } from '../ledger/recording.ts';
import { at, type Person } from './person.ts';
import { type Stage, setEmptyStage } from './stage.ts';

/** GitHub's clock: it stands while the past is put back, and goes on from whatever time it is set to. */
export interface Clock {
  now(): Date;
  /** ISO 8601. */
  stand(time: string): void;
  goOn(time: string): void;
}

/** A stage with the pull requests of the version before, a moment after that was stopped. */
export async function setRecordedStage(): Promise<{ stage: Stage; clock: Clock }> {
  const clock = newClock();
  // The agent of the recording hangs where it is not told to go on.
  const variables = { COXSWAIN_SWEEP_EVERY: '2s', COXSWAIN_AGENT_ENV: 'GO_ON', GO_ON: 'yes' };
  const stage = await setEmptyStage({ unchecked: true, now: clock.now, variables });
  try {
    await putBack(stage, clock);
    await stage.start();
    return { stage, clock };
  } catch (fault) {
    await stage.end();
    throw fault;
  }
}

function newClock(): Clock {
  let standing: number | undefined;
  let ahead = 0;
  const set = (time: string) => {
    ahead = Date.parse(time) - Date.now();
  };
  return {
    now: () => new Date(standing ?? Date.now() + ahead),
    stand: (time) => {
      standing = Date.parse(time);
    },
    goOn: (time) => {
      standing = undefined;
      set(time);
    },
  };
}

/** Nobody is told of what happened then: whoever listened had heard it. */
async function putBack(stage: Stage, clock: Clock): Promise<void> {
  const { forge, known, mia } = stage;
  const { registered } = known;
  const { webhook_url: url } = registered;
  forge.seed.setWebhook(registered, { url: '' });
  const scene: Scene = { stage, clock, bot: botOf(stage) };
  clock.stand(recording.issues[0]?.created_at ?? recording.ended_at);
  await checkId(mia);
  await pushBundle(stage);
  for (const issue of recording.issues) await putBackIssue(scene, issue);
  let last = await spentId(scene);
  for (const comment of recording.comments) last = await putBackComment(scene, comment, last);
  clock.goOn(recording.ended_at);
  forge.seed.setWebhook(registered, { url });
}

interface Scene {
  readonly stage: Stage;
  readonly clock: Clock;
  readonly bot: Octokit;
}

function botOf({ forge, known }: Stage): Octokit {
  const { registered, installation } = known;
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const auth = { appId: registered.id, privateKey: registered.private_key, installationId: installation };
  return new Octokit({ authStrategy: createAppAuth, auth, baseUrl: forge.apiUrl, log });
}

/** GitHub never gives a repository another id; the names of branches are made from it. */
async function checkId({ octokit }: Person): Promise<void> {
  const { id } = (await octokit.rest.repos.get(at)).data;
  const wanted = recording.repository.id;
  if (id !== wanted) throw new Error(`acme/widgets was recorded with the id ${wanted}, the forge gave ${id}`);
}

async function pushBundle({ forge, mia }: Stage): Promise<void> {
  const url = `${forge.url.replace('://', `://x-access-token:${mia.token}@`)}/acme/widgets.git`;
  const copy = await workCopy();
  try {
    await copy.git('fetch', '--quiet', bundle, '+refs/*:refs/recorded/*');
    const refs = ['heads', 'coxswain'].map((kind) => `refs/recorded/${kind}/*:refs/${kind}/*`);
    await copy.git('push', '--quiet', '--force', url, ...refs);
  } finally {
    await copy.remove();
  }
}

async function putBackIssue({ stage, clock, bot }: Scene, issue: RecordedIssue): Promise<void> {
  const { title, number, pull, labels } = issue;
  const { rest } = pull === undefined ? personOf(stage, issue.by).octokit : bot;
  const body = issue.body.replaceAll('{forge}', stage.forge.url);
  clock.stand(issue.created_at);
  const created =
    pull === undefined
      ? await rest.issues.create({ ...at, title, body })
      : await rest.pulls.create({ ...at, title, body, ...pull });
  if (created.data.number !== number) throw new Error(`#${number} became #${created.data.number}`);
  await bot.rest.issues.addLabels({ ...at, issue_number: number, labels: [...labels] });
  if (issue.closed_at === null) return;
  clock.stand(issue.closed_at);
  await bot.rest.issues.update({ ...at, issue_number: number, state: 'closed' });
}

/** Ledgers name comments by their ids, so each gets its own again. Answers with the id. */
async function putBackComment(scene: Scene, comment: RecordedComment, last: number): Promise<number> {
  const { stage, clock, bot } = scene;
  const { id, number: issue_number, by } = comment;
  for (let spent = last + 1; spent < id; spent++) stage.forge.seed.addUser(`nobody-${spent}`);
  clock.stand(comment.created_at);
  const { rest } = by === 'coxswain[bot]' ? bot : personOf(stage, by).octokit;
  const body = comment.body.replaceAll('{forge}', stage.forge.url);
  const { data } = await rest.issues.createComment({ ...at, issue_number, body });
  if (data.id !== id) throw new Error(`comment ${id} became comment ${data.id}`);
  return id;
}

/** The forge counts everything in one row; this is where it has come to. */
async function spentId({ bot }: Scene): Promise<number> {
  const { data } = await bot.rest.issues.createComment({ ...at, issue_number: 1, body: 'Counting.' });
  await bot.rest.issues.deleteComment({ ...at, comment_id: data.id });
  return data.id;
}

function personOf({ ada, bob, mia, grace }: Stage, login: string): Person {
  const person = [ada, bob, mia, grace].find((one) => one.login === login);
  if (person === undefined) throw new Error(`${login} is not on the stage`);
  return person;
}
