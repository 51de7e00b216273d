import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Forge, Mail } from '@coxswain/forge';
import { Octokit } from '@octokit/rest';
import { readBlock } from '../../src/github/show/block.ts';
import { appVariables, openApp } from '../environment/app.ts';
import { openForge } from '../environment/forge.ts';
import type { Figure } from '../measure/figure.ts';
import { until } from '../measure/until.ts';
import { secret } from '../server/delivery.ts';
import { type Course, courses, filesFor, type MailedRun } from './courses.ts';

/** What a course made GitHub mail because of us. */
interface Mailed {
  readonly course: Course;
  /** On its pull request. */
  readonly mails: readonly Mail[];
  /** On its issue, which a merge closes. */
  readonly onIssue: readonly Mail[];
}

/** How many mails one run makes GitHub send: a word in people's mail is a cost. Nothing here is timed. */
export async function benchMail(
  print: (line: string) => void,
  chosen: readonly Course[] = courses,
): Promise<readonly Figure[]> {
  const played = await playCourses(chosen);
  for (const { course, mails } of played)
    for (const { about, names } of mails) print(`${course.name}: ${[about, ...names].join(', names ')}`);
  return played.map(({ course, mails, onIssue }) => ({
    name: `mail_${course.name}`,
    what: `mails of ${course.what}`,
    unit: '',
    ours: mails.length,
    floor: course.floor,
    ratio: mails.length / course.floor,
    ...(course.most !== undefined && { aim: `<= ${course.most}` }),
    also: { people_named: mails.flatMap(({ names }) => names).length, on_the_issue: onIssue.length },
  }));
}

/** Plays all courses beside one another, each in a repository of its own, with a real forge and a real App. */
async function playCourses(courses: readonly Course[]): Promise<readonly Mailed[]> {
  const folder = await mkdtemp(join(tmpdir(), 'coxswain-bench-'));
  const owners = courses.map(ownerOf);
  const part = await openForge({ owners, issues: 0, moreFiles: 0, files: { 'README.md': '# widgets\n' } });
  const { forge, ready } = part;
  const app = await openApp({
    ...appVariables(ready, join(folder, 'data')),
    COXSWAIN_RENDER_AFTER: '0',
    COXSWAIN_WRITE_LIMITS: 'off',
  });
  try {
    await part.answer({ ask: 'install', webhookUrl: app.ready.webhookUrl, secret });
    const people = peopleOf(forge, { ada: ready.token, owners });
    await Promise.all(courses.map((course) => play(course, { forge, folder, people })));
    await untilQuiet(forge);
    return courses.map((course) => mailedIn(forge, course));
  } finally {
    await app.end();
    await part.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function ownerOf({ name }: Course): string {
  return name.replaceAll('_', '-');
}

type People = Readonly<Record<'ada' | 'bob', Octokit>>;

function peopleOf(
  { seed, apiUrl: baseUrl }: Forge,
  { ada, owners }: { readonly ada: string; readonly owners: readonly string[] },
): People {
  const bob = seed.addUser('bob');
  for (const owner of owners) seed.setCollaborator(`${owner}/widgets`, 'bob', 'write');
  return { ada: new Octokit({ auth: ada, baseUrl }), bob: new Octokit({ auth: bob, baseUrl }) };
}

/** The number of each pull request: the second of its repository, after the issue. */
const pull = 2;

interface Setting {
  readonly forge: Forge;
  readonly folder: string;
  readonly people: People;
}

async function play(course: Course, { forge, folder, people }: Setting): Promise<void> {
  const at = { owner: ownerOf(course), repo: 'widgets' };
  const gate = join(folder, course.name);
  await forge.seed.commit(`${at.owner}/widgets`, filesFor(course, gate));
  const { issues } = people.ada.rest;
  const { data: issue } = await issues.create({ ...at, title: 'Widgets are wrong', body: course.task });
  await issues.addLabels({ ...at, issue_number: issue.number, labels: ['coxswain'] });
  await course.play(runAt(at, people, gate));
}

function runAt(
  at: { readonly owner: string; readonly repo: string },
  { ada, bob }: People,
  gate: string,
): MailedRun {
  const shown = async () => {
    const { data } = await ada.rest.issues.listForRepo({ ...at, state: 'all' });
    return readBlock(data.find(({ number }) => number === pull)?.body ?? '');
  };
  const says: MailedRun['says'] = async (body, login) => {
    await until(`a run in ${at.owner}`, async () => (await shown()) !== undefined);
    const { data } = await (login === 'bob' ? bob : ada).rest.issues.createComment({
      ...at,
      issue_number: pull,
      body,
    });
    await until(`${body} accepted in ${at.owner}`, async () => {
      const about = { ...at, comment_id: data.id };
      const { data: reactions } = await ada.rest.reactions.listForIssueComment(about);
      return reactions.some(({ content }) => content === 'rocket');
    });
  };
  return {
    says,
    approves: async (login) => says(`/approve ${(await shown())?.head_sha}`, login),
    reaches: (phase, iteration) =>
      until(`${phase} in ${at.owner}`, async () => {
        const block = await shown();
        return block?.phase === phase && block.iteration === (iteration ?? block.iteration);
      }),
    release: () => writeFile(gate, ''),
  };
}

/** Waits until GitHub has received no request for a while: what a run still says, it has said by then. */
async function untilQuiet({ requests, quiet }: Forge): Promise<void> {
  const forMs = 2000;
  await until('a quiet GitHub', async () => {
    const before = requests.total;
    await setTimeout(forMs);
    return requests.total === before && quiet();
  });
}

function mailedIn(forge: Forge, course: Course): Mailed {
  const ours = forge.mails(`${ownerOf(course)}/widgets`).filter(({ by }) => by === 'coxswain[bot]');
  return {
    course,
    mails: ours.filter(({ number }) => number === pull),
    onIssue: ours.filter(({ number }) => number !== pull),
  };
}
