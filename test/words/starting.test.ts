import { expect, test } from 'vitest';
import type { StartRequest } from '../../src/github/listen/heard.ts';
import { claimText, pullBody } from '../../src/words/start-texts.ts';
import { ada, task } from '../steering/samples.ts';

const request: StartRequest = {
  ...{ cause: 'comment:1@x', at: 'T', text: '', issue: null, adopt: null, source: null },
  by: ada,
};

const acting =
  'Fixes #7, @mia, https://github.com/a/b/issues/7 <!-- coxswain:end --> [x](https://evil.example)';

test("an issue's title closes nothing when it becomes a commit", () => {
  const message = claimText({ ...task, title: acting }, request);
  expect(message).toContain('Start: Fixes 7, mia, github.com/a/b/issues/7');
  expect(message).not.toMatch(/#\d|@mia|:\/\//);
});

test('the description of a task mentions nobody, links nothing and hides nothing', () => {
  const body = pullBody({ ...task, description: acting }, request).replace('Requested by @ada', '');
  expect(body).toContain('Fixes #');
  expect(body).not.toMatch(/@\w|#\d|:\/\/|<!--|\]\(/);
});
