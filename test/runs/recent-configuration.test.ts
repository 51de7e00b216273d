import { beforeEach, expect, test } from 'vitest';
import { RecentConfiguration } from '../../src/runs/run/recent-configuration.ts';
import { client, expectOnlyStubbedRequests, github } from '../github/octokit/github.ts';

/** Every label on any issue asks which one starts runs, so that it is read rarely, and without a clone. */
const path = '/repos/acme/api/contents/.github%2Fcoxswain.yml';
const repository = { id: 7, owner: 'acme', name: 'api', octokit: client() };

let now = 0;
let recent: RecentConfiguration;

expectOnlyStubbedRequests();

beforeEach(() => {
  now = Date.parse('2026-03-03T12:00:00Z');
  const clock = { now: () => new Date(now) };
  recent = new RecentConfiguration({ configPath: '.github/coxswain.yml', clock });
});

function answers(text: string): void {
  github().get(path).reply(200, text, { 'content-type': 'application/vnd.github.raw+json; charset=utf-8' });
}

test('it is read once for all labels of a minute', async () => {
  answers('version: 1\nagent: claude\nlabels: { trigger: "agent: go" }\n');
  const all = await Promise.all(Array.from({ length: 50 }, () => recent.trigger(repository)));
  expect(new Set(all)).toEqual(new Set(['agent: go']));
  now += 59_000;
  expect(await recent.trigger(repository)).toBe('agent: go');
});

test('a change takes effect a minute later', async () => {
  answers('labels: { trigger: one }');
  expect(await recent.trigger(repository)).toBe('one');
  now += 60_000;
  answers('labels: { trigger: two }');
  expect(await recent.trigger(repository)).toBe('two');
});

test.each([
  ['whatever else is wrong', 'verison: 2\nagent: [x]\nlabels: { trigger: go }', 'go'],
  ['by default if it names none', 'version: 1\nagent: claude\n', 'coxswain'],
  ['by default if it cannot be one', 'labels: { trigger: "coxswain:queued" }', 'coxswain'],
  ['by default if nothing can be read', 'labels: {', 'coxswain'],
  ['by default if the file is a list', '- labels', 'coxswain'],
])('it is read %s', async (_, text, label) => {
  answers(text);
  expect(await recent.trigger(repository)).toBe(label);
});

test('without a configuration it is the default', async () => {
  github().get(path).reply(404, { message: 'Not Found' });
  expect(await recent.trigger(repository)).toBe('coxswain');
});

test('an outage is told, and not remembered', async () => {
  github().get(path).times(3).reply(500, { message: 'Server Error' });
  await expect(recent.trigger(repository)).rejects.toThrow(/Server Error/);
  answers('labels: { trigger: go }');
  expect(await recent.trigger(repository)).toBe('go');
});
