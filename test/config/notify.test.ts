import { describe, expect, test } from 'vitest';
import { withOverrides } from '../../src/config/overrides.ts';
import { readConfig } from '../../src/config/read.ts';
import { problemText } from '../../src/config/schema/config-problem.ts';
import type { Bounds } from '../../src/config/schema/operator-bounds.ts';
import { readTaskDocuments } from '../../src/config/tasks/task-documents.ts';
import { usualEvents } from '../../src/steering/shapes/announced-events.ts';

function read(notify: string, bounds: Bounds = {}) {
  const text = `version: 1\nagent: claude\nnotify: ${notify}\n`;
  return readConfig(text, { path: '.github/coxswain.yml', ref: 'main' }, { bounds });
}

function settingsOf(notify: string, bounds?: Bounds) {
  const reading = read(notify, bounds);
  if (reading.outcome === 'misconfigured') throw new Error(reading.problems.map(problemText).join('\n'));
  return reading.settings;
}

function problemsOf(notify: string, bounds?: Bounds) {
  const reading = read(notify, bounds);
  if (reading.outcome === 'configured') throw new Error(`was accepted: ${notify}`);
  return reading.problems;
}

test('a repository names targets, and may say what each of them hears of', () => {
  expect(settingsOf('[builds, { to: releases, events: [run_finished] }]').notify).toEqual([
    { to: 'builds', events: usualEvents },
    { to: 'releases', events: ['run_finished'] },
  ]);
  expect(settingsOf('[]')).not.toHaveProperty('notify');
});

test.each([
  ['[{ to: a, url: "https://hooks.example.org/" }]', 'notify[0].url', /^no url, because the operator's file/],
  ['[{ to: a, url_env: PRIVATE_KEY }]', 'notify[0].url_env', /secrets of the environment sent anywhere$/],
  ['[https://hooks.example.org/]', 'notify[0].to', /^the name of a target of the operator, such as builds$/],
  ['["@ada"]', 'notify[0].to', /^the name of a target/],
  ['builds', 'notify', /^a list of names of targets/],
  ['[{ to: a, events: [] }]', 'notify[0].events', /^at least one event$/],
  [
    '[{ to: a, events: [run_finnished] }]',
    'notify[0].events[0]',
    /^run_finished \(did you mean that\?\), or one of/,
  ],
  ['[a, { to: a, events: [run_finished] }]', 'notify[1].to', /^another target than notify\[0\]/],
  [`[${Array.from({ length: 21 }, (_, index) => `a${index}`)}]`, 'notify', /^at most 20 targets$/],
])('%s is a problem at %s', (notify, path, expected) => {
  expect(problemsOf(notify)).toMatchObject([{ path, expected: expect.stringMatching(expected), line: 3 }]);
});

describe('where the targets of the operator are known', () => {
  test('they may be named', () => {
    expect(settingsOf('[builds]', { notify: ['builds'] }).notify).toMatchObject([{ to: 'builds' }]);
  });

  test.each([
    [['builds', 'office'], "builds or office (the operator's bound notify)"],
    [[], "no target, as the operator has none (the operator's bound notify)"],
  ])('a name that is not among %j is a problem that lists them', (notify, expected) => {
    expect(problemsOf('[{ to: other }]', { notify })).toMatchObject([
      { path: 'notify[0].to', expected, received: '"other"', line: 3 },
    ]);
    expect(problemsOf('[other]', { notify })).toMatchObject([{ path: 'notify[0].to', expected, line: 3 }]);
  });
});

test('where nobody is notified, what a repository names is not in its settings', () => {
  expect(settingsOf('[builds]', { notify: null })).not.toHaveProperty('notify');
});

test('neither a task nor an input of the Action can name a target', () => {
  const settings = settingsOf('[builds]');
  const { settings: after, problems } = withOverrides(settings, { notify: ['other'] });
  expect(after).toEqual(settings);
  expect(problems).toMatchObject([{ path: 'notify', received: 'the unknown key "notify"' }]);
  expect(readTaskDocuments('description: Do it\nnotify: [other]\n')).toMatchObject({
    problems: [{ expected: 'no notify: a task only tightens what the configuration says', line: 2 }],
  });
});
