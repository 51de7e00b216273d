import { startForge } from '@coxswain/forge';
import { expect, onTestFinished, test } from 'vitest';
import { Conversation } from '../../../src/cli/demo/demo-output.ts';
import { personClient } from '../../../src/cli/demo/start-demo.ts';

const at = { owner: 'acme', repo: 'widgets' } as const;

test('what happens on GitHub is told once, in the order in which it happens', async () => {
  const told: string[] = [];
  const conversation = new Conversation((text) => told.push(text));
  const forge = await startForge({ onEvent: (event) => conversation.hear(event) });
  onTestFinished(() => forge.stop());
  const ada = personClient(forge, forge.seed.addUser('ada'));
  forge.seed.addOrganization('acme');
  await forge.seed.addRepository({ owner: 'acme', name: 'widgets', files: { 'README.md': 'Hello\n' } });
  forge.seed.setCollaborator('acme/widgets', 'ada', 'admin');
  const { issues, pulls, repos } = ada.rest;

  const { data: issue } = await issues.create({ ...at, title: 'Count widgets' });
  await issues.addLabels({ ...at, issue_number: issue.number, labels: ['bug', 'coxswain'] });
  const { data: main } = await ada.rest.git.getRef({ ...at, ref: 'heads/main' });
  await ada.rest.git.createRef({ ...at, ref: 'refs/heads/work', sha: main.object.sha });
  const content = Buffer.from('Hello, widgets\n').toString('base64');
  const { data: file } = await repos.getContent({ ...at, path: 'README.md', ref: 'work' });
  const sha = 'sha' in file ? file.sha : '';
  await repos.createOrUpdateFileContents({
    ...at,
    ...{ path: 'README.md', branch: 'work', message: 'Say more', content, sha },
  });
  const { data: pull } = await pulls.create({ ...at, head: 'work', base: 'main', title: 'W', draft: true });
  const address = { ...at, issue_number: pull.number };
  await issues.addLabels({ ...address, labels: ['coxswain:working'] });
  await issues.createComment({ ...address, body: '<!-- a mark -->\n/steer more' });
  await issues.setLabels({ ...address, labels: ['coxswain:approved'] });
  await pulls.update({ ...at, pull_number: pull.number, state: 'closed' });

  expect(told).toEqual([
    'ada labels issue #1 with `coxswain`',
    'ada opened draft pull request #2',
    '#2 is working',
    'ada:\n  | /steer more',
    '#2 is approved',
    '#2 is closed',
  ]);
});

test('a check run is told when it has concluded, however often it is updated, unless it was superseded', () => {
  const told: string[] = [];
  const conversation = new Conversation((text) => told.push(text));
  const run = { id: 1, name: 'Coxswain / test', head_sha: 'abcdef0123', output: { title: 'Passed' } };
  const hear = (changed: object) =>
    conversation.hear({
      event: 'check_run',
      repository: 'acme/widgets',
      payload: { check_run: { ...run, ...changed } },
      by_actions: false,
    });
  hear({ conclusion: null });
  hear({ conclusion: 'action_required', output: { title: 'Waiting' } });
  hear({ conclusion: 'action_required', output: { title: 'Waiting' } });
  hear({ conclusion: 'success' });
  hear({ id: 2, conclusion: 'cancelled' });
  expect(told).toEqual([
    '  check "Coxswain / test" on abcdef0: action_required, Waiting',
    '  check "Coxswain / test" on abcdef0: success, Passed',
  ]);
});
