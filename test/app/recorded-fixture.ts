import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { pino } from 'pino';
import { expect } from 'vitest';
import { readEnvironment } from '../../src/app/environment/environment.ts';
import { sealLedgers } from '../../src/app/seal-ledgers.ts';
import { workCopy } from '../git/work-copy.ts';
import { bundle, type RecordedComment, type RecordedIssue, recording } from '../ledger/recording.ts';
import { type AppFixture, prepareAppFixture } from './app-fixture.ts';
import { at, type Person } from './person.ts';

/** GitHub's clock: frozen while the recording is replayed, then running from a given time. */
export interface Clock {
  now(): Date;
  /** ISO 8601. */
  freezeAt(time: string): void;
  resumeFrom(time: string): void;
}

/** Starts this version on the pull requests that the previous version left behind. */
export async function startRecordedFixture(): Promise<{ fixture: AppFixture; clock: Clock }> {
  const clock = newClock();
  // The agent of the recording hangs unless GO_ON is set.
  const variables = { COXSWAIN_SWEEP_EVERY: '2s', COXSWAIN_AGENT_ENV: 'GO_ON', GO_ON: 'yes' };
  const fixture = await prepareAppFixture({ unchecked: true, now: clock.now, variables });
  try {
    await replayRecording(fixture, clock);
    await sealAsOperator(fixture);
    await fixture.start();
    return { fixture, clock };
  } catch (fault) {
    await fixture.end();
    throw fault;
  }
}

/** The previous version did not seal its ledgers, so an operator has to say that they are to be believed. */
async function sealAsOperator({ variables }: AppFixture): Promise<void> {
  const log = pino({ level: 'silent' });
  const found = await sealLedgers(readEnvironment(variables), { closed: true, write: true }, log);
  expect(found.map(({ outcome }) => outcome)).toEqual(Object.keys(recording.runs).map(() => 'sealed'));
}

function newClock(): Clock {
  let frozen: number | undefined;
  let offsetMs = 0;
  return {
    now: () => new Date(frozen ?? Date.now() + offsetMs),
    freezeAt: (time) => {
      frozen = Date.parse(time);
    },
    resumeFrom: (time) => {
      frozen = undefined;
      offsetMs = Date.parse(time) - Date.now();
    },
  };
}

/** Replays without webhooks: the previous version has already received them. */
async function replayRecording(fixture: AppFixture, clock: Clock): Promise<void> {
  const { forge, accounts, mia } = fixture;
  const { registered } = accounts;
  const { webhook_url: url } = registered;
  forge.seed.setWebhook(registered, { url: '' });
  const context: ReplayContext = { fixture, clock, bot: botOf(fixture) };
  clock.freezeAt(recording.issues[0]?.created_at ?? recording.ended_at);
  await checkId(mia);
  await pushBundle(fixture);
  for (const issue of recording.issues) await replayIssue(context, issue);
  let last = await lastId(context);
  for (const comment of recording.comments) last = await replayComment(context, comment, last);
  clock.resumeFrom(recording.ended_at);
  forge.seed.setWebhook(registered, { url });
}

interface ReplayContext {
  readonly fixture: AppFixture;
  readonly clock: Clock;
  readonly bot: Octokit;
}

function botOf({ forge, accounts }: AppFixture): Octokit {
  const { registered, installation } = accounts;
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const auth = { appId: registered.id, privateKey: registered.private_key, installationId: installation };
  return new Octokit({ authStrategy: createAppAuth, auth, baseUrl: forge.apiUrl, log });
}

/** The recorded branch names contain the repository's id, so the forge must assign the same one. */
async function checkId({ octokit }: Person): Promise<void> {
  const { id } = (await octokit.rest.repos.get(at)).data;
  const wanted = recording.repository.id;
  if (id !== wanted) throw new Error(`acme/widgets was recorded with the id ${wanted}, the forge gave ${id}`);
}

async function pushBundle({ forge, mia }: AppFixture): Promise<void> {
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

async function replayIssue({ fixture, clock, bot }: ReplayContext, issue: RecordedIssue): Promise<void> {
  const { title, number, pull, labels } = issue;
  const { rest } = pull === undefined ? personOf(fixture, issue.by).octokit : bot;
  const body = issue.body.replaceAll('{forge}', fixture.forge.url);
  clock.freezeAt(issue.created_at);
  const created =
    pull === undefined
      ? await rest.issues.create({ ...at, title, body })
      : await rest.pulls.create({ ...at, title, body, ...pull });
  if (created.data.number !== number) throw new Error(`#${number} became #${created.data.number}`);
  await bot.rest.issues.addLabels({ ...at, issue_number: number, labels: [...labels] });
  if (issue.closed_at === null) return;
  clock.freezeAt(issue.closed_at);
  await bot.rest.issues.update({ ...at, issue_number: number, state: 'closed' });
}

/** Ledgers refer to comments by id, so each comment must get its recorded id. Returns the id. */
async function replayComment(
  context: ReplayContext,
  comment: RecordedComment,
  last: number,
): Promise<number> {
  const { fixture, clock, bot } = context;
  const { id, number: issue_number, by } = comment;
  for (let spent = last + 1; spent < id; spent++) fixture.forge.seed.addUser(`unused-${spent}`);
  clock.freezeAt(comment.created_at);
  const { rest } = by === 'coxswain[bot]' ? bot : personOf(fixture, by).octokit;
  const body = comment.body.replaceAll('{forge}', fixture.forge.url);
  const { data } = await rest.issues.createComment({ ...at, issue_number, body });
  if (data.id !== id) throw new Error(`comment ${id} became comment ${data.id}`);
  return id;
}

/** The last id the forge has assigned: it uses one counter for everything. */
async function lastId({ bot }: ReplayContext): Promise<number> {
  const { data } = await bot.rest.issues.createComment({ ...at, issue_number: 1, body: 'Counting.' });
  await bot.rest.issues.deleteComment({ ...at, comment_id: data.id });
  // The deletion is an event of the issue, and has an id of its own.
  return data.id + 1;
}

function personOf({ ada, bob, mia, grace }: AppFixture, login: string): Person {
  const person = [ada, bob, mia, grace].find((one) => one.login === login);
  if (person === undefined) throw new Error(`the fixture has no person ${login}`);
  return person;
}
