import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestRepository } from './fixture.ts';
import { type OpenedPull, openPull } from './open-pull.ts';
import { startWebsite, type WebPage, type WebsiteFixture } from './website-fixture.ts';

let fixture: WebsiteFixture;
let repository: TestRepository;
let opened: OpenedPull;
let pull: string;

beforeAll(async () => {
  fixture = await startWebsite();
}, 60_000);

afterEach(() => {
  fixture.visitor.login = 'ada';
});

afterAll(() => fixture?.end());

async function aPull(): Promise<void> {
  opened = await openPull(fixture);
  repository = opened.repository;
  pull = `/${repository.name}/pull/${opened.number}`;
  await fixture.forgetDeliveries();
}

/** The webhooks that a form has sent, as `event.action`. */
async function sent(): Promise<string[]> {
  await fixture.deliveriesDone();
  return fixture.received.map(({ event, action }) => (action === undefined ? event : `${event}.${action}`));
}

/** Who the newest webhook says it was. */
function sender(): unknown {
  return Object(fixture.received.at(-1)?.payload['sender'])['login'];
}

/** Why a form was refused, as the page says it. */
function refusal({ text }: WebPage): string {
  const [, alert = ''] = /<div id="refusal"[^>]*>(.*?)<\/div>/s.exec(text) ?? [];
  return alert
    .replace(/<[^>]+>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
}

async function issueWith(fields: { title: string; body?: string }): Promise<string> {
  const { data } = await fixture.person('ren').issues.create({ ...repository.at, ...fields });
  await fixture.forgetDeliveries();
  return `/${repository.name}/issues/${data.number}`;
}

describe('an issue', () => {
  beforeAll(async () => {
    repository = await fixture.repository();
  });

  beforeEach(() => fixture.forgetDeliveries());

  test('is opened', async () => {
    const path = `/${repository.name}/issues/new`;
    const { status, location } = await fixture.post(path, { do: 'open', title: 'Leak', body: 'It\r\nleaks' });
    expect(status).toBe(303);
    expect(await sent()).toEqual(['issues.opened']);
    expect(Object(fixture.received[0]?.payload['issue'])).toMatchObject({ title: 'Leak', body: 'It\nleaks' });
    expect((await fixture.get(location)).text).toContain('Leak');
  });

  test('without a title is not opened, and what was typed is kept', async () => {
    const path = `/${repository.name}/issues/new`;
    const page = await fixture.post(path, { do: 'open', title: '', body: 'My careful words' });
    expect(page.status).toBe(422);
    expect(refusal(page)).toContain('Validation Failed. Issue title: missing field');
    expect(page.text).toContain('My careful words</textarea>');
    expect(await sent()).toEqual([]);
  });

  test('is commented on, closed with a reason and reopened', async () => {
    const path = await issueWith({ title: 'Leak' });
    const { location } = await fixture.post(path, { do: 'comment', body: 'No.', state: 'not_planned' });
    expect(location).toMatch(/#issuecomment-\d+$/);
    expect(await sent()).toEqual(['issue_comment.created', 'issues.closed']);
    expect(sender()).toBe('ada');
    expect((await fixture.get(path)).text).toContain('Closed as not planned');
    await fixture.post(path, { do: 'comment', body: '', state: 'open' });
    expect(await sent()).toContain('issues.reopened');
  });

  test('takes no empty comment', async () => {
    const path = await issueWith({ title: 'Leak' });
    const page = await fixture.post(path, { do: 'comment', body: ' ' });
    expect(page.status).toBe(422);
    expect(refusal(page)).toContain("Body can't be blank".replace("'", '&#39;'));
  });

  test('is labelled, also with a label that is new', async () => {
    const path = await issueWith({ title: 'Leak' });
    await fixture.post(path, { do: 'label', name: 'agent: go' });
    await fixture.post(path, { do: 'unlabel', name: 'agent: go' });
    expect(await sent()).toEqual(['issues.labeled', 'issues.unlabeled']);
  });

  test('is not labelled by a reader, who is not offered it either', async () => {
    const path = await issueWith({ title: 'Leak' });
    fixture.visitor.login = 'out';
    expect((await fixture.get(path)).text).not.toContain('Add a label');
    const page = await fixture.post(path, { do: 'label', name: 'agent: go' });
    expect(page.status).toBe(403);
    expect(refusal(page)).toContain('Must have admin rights to Repository.');
    expect(await sent()).toEqual([]);
  });
});

describe('a pull request', () => {
  beforeEach(aPull);

  test('is reviewed at the commit that the page shows', async () => {
    const fields = { do: 'review', event: 'APPROVE', body: '', commit_id: opened.sha };
    const { location } = await fixture.post(pull, fields);
    expect(location).toMatch(/#pullrequestreview-\d+$/);
    expect(await sent()).toEqual(['pull_request_review.submitted']);
    const review = Object(fixture.received[0]?.payload['review']);
    expect(review).toMatchObject({ state: 'approved', commit_id: opened.sha, user: { login: 'ada' } });
  });

  test('is not approved by its author', async () => {
    const own = await openPull(fixture, { by: 'ada' });
    const path = `/${own.repository.name}/pull/${own.number}`;
    expect((await fixture.get(path)).text).toContain('value="APPROVE" disabled');
    const fields = { do: 'review', event: 'APPROVE', body: 'Mine', commit_id: own.sha };
    const page = await fixture.post(path, fields);
    expect(page.status).toBe(422);
    expect(refusal(page)).toContain('Can not approve your own pull request');
    expect(page.text).toContain('Mine</textarea>');
  });

  test.each(['merge', 'squash', 'rebase'])('is merged (%s)', async (method) => {
    await fixture.post(pull, { do: 'merge', method, sha: opened.sha, title: '', message: '' });
    expect(await sent()).toEqual(['pull_request.closed', 'push', 'check_suite.requested']);
    expect((await fixture.get(pull)).text).toContain('Pull request successfully merged and closed');
    await fixture.post(pull, { do: 'delete-branch' });
    expect((await fixture.get(pull)).text).toContain('is deleted.');
  });

  test('is not merged after another push than the one that the page showed', async () => {
    const page = await fixture.post(pull, { do: 'merge', method: 'merge', sha: '0'.repeat(40) });
    expect(page.status).toBe(409);
    expect(refusal(page)).toContain('Head branch was modified. Review and try the merge again.');
  });

  test('is not merged against the rules, which the page names', async () => {
    const checks = [{ context: 'test' }];
    const parameters = { required_status_checks: checks };
    const { name } = repository;
    fixture.forge.seed.addRuleset(name, { rules: [{ type: 'required_status_checks', parameters }] });
    const shown = await fixture.get(pull);
    expect(shown.text).toContain('Merging is blocked');
    expect(shown.text).not.toContain('Squash and merge');
    const page = await fixture.post(pull, { do: 'merge', method: 'merge', sha: opened.sha });
    expect(page.status).toBe(405);
    expect(refusal(page)).toContain('Required status check "test" is expected.');
  });

  test('is not merged by a reader', async () => {
    fixture.visitor.login = 'ren';
    const { text } = await fixture.get(pull);
    expect(text).toContain('Only those with write access to this repository can merge pull requests.');
    const page = await fixture.post(pull, { do: 'merge', method: 'merge', sha: opened.sha });
    expect(page.status).toBe(403);
  });

  test('that is a draft becomes ready, and a draft again', async () => {
    const draft = await openPull(fixture, { draft: true });
    const path = `/${draft.repository.name}/pull/${draft.number}`;
    await fixture.forgetDeliveries();
    const page = await fixture.post(path, { do: 'merge', method: 'merge', sha: draft.sha });
    expect(refusal(page)).toContain('Pull Request is still a draft');
    await fixture.post(path, { do: 'ready' });
    expect((await fixture.get(path)).text).toContain('Merge pull request</button>');
    await fixture.post(path, { do: 'draft' });
    expect(await sent()).toEqual(['pull_request.ready_for_review', 'pull_request.converted_to_draft']);
    fixture.visitor.login = 'ren';
    const refused = await fixture.post(path, { do: 'ready' });
    expect(refusal(refused)).toContain('ren does not have the correct permissions to execute');
  });

  test('says that it merges itself, which people can take back', async () => {
    const { name } = repository;
    const parameters = { required_status_checks: [{ context: 'test' }] };
    fixture.forge.seed.addRuleset(name, { rules: [{ type: 'required_status_checks', parameters }] });
    const { data } = await fixture.person('ada').pulls.get({ ...repository.at, pull_number: opened.number });
    await fixture
      .person('ada')
      .graphql(
        'mutation($id: ID!) { enablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId } }',
        { id: data.node_id },
      );
    expect((await fixture.get(pull)).text).toContain('Auto-merge is enabled');
    await fixture.post(pull, { do: 'disable-auto-merge' });
    expect((await fixture.get(pull)).text).not.toContain('Auto-merge is enabled');
  });

  test('into a base with a merge queue joins it when it is ready, and is taken out again', async () => {
    const parameters = { required_status_checks: [{ context: 'test' }] };
    const rules = [{ type: 'merge_queue' }, { type: 'required_status_checks', parameters }] as const;
    fixture.forge.seed.addRuleset(repository.name, { rules: [...rules] });
    const { text } = await fixture.get(pull);
    expect(text).toContain('Required status check &quot;test&quot; is expected.');
    expect(text).not.toContain('Squash and merge</button>');
    await fixture.post(pull, { do: 'merge-when-ready', sha: opened.sha });
    expect((await fixture.get(pull)).text).toContain('enabled it: this joins <a');
    const done = { ...repository.at, name: 'test', head_sha: opened.sha, conclusion: 'success' as const };
    await repository.bot.checks.create(done);
    const queued = (await fixture.get(pull)).text;
    expect(queued).toContain('Queued to merge');
    expect(queued).toMatch(/Number 1 of 1 in .*, added by .*ada.*: its checks are under way\./);
    const queue = (await fixture.get(`/${repository.name}/queue/main`)).text;
    expect(queue).toMatch(
      /1 pull request, merged in this order\.[\s\S]*Add a[\s\S]*its checks are under way as/,
    );
    await fixture.post(pull, { do: 'dequeue' });
    expect((await fixture.get(pull)).text).toContain('Merge when ready</button>');
    const stale = await fixture.post(pull, { do: 'merge-when-ready', sha: '0'.repeat(40) });
    expect(refusal(stale)).toContain('Head branch was modified.');
    await fixture.post(pull, { do: 'merge-when-ready', sha: opened.sha });
    expect((await fixture.get(pull)).text).toContain('Queued to merge');
    fixture.visitor.login = 'ren';
    expect((await fixture.get(pull)).text).not.toContain('Remove from queue');
    expect((await fixture.get(`/${repository.name}/queue/other`)).status).toBe(404);
  });

  test('with conflicts says so', async () => {
    await fixture.forge.seed.commit(repository.name, { 'a.txt': 'b\n' });
    const { text } = await fixture.get(pull);
    expect(text).toContain('This branch has conflicts that must be resolved');
    expect(text).not.toContain('Merge pull request</button>');
    const page = await fixture.post(pull, { do: 'merge', method: 'merge', sha: opened.sha });
    expect(refusal(page)).toContain('Pull Request is not mergeable');
  });
});

describe('a check run', () => {
  beforeEach(aPull);

  async function runWithButton(): Promise<string> {
    const { bot, at } = repository;
    const actions = [{ label: 'Approve', description: 'Accept', identifier: 'approve' }];
    const output = { title: 'Waits', summary: 'For you' };
    const wanted = {
      ...at,
      name: 'Helm',
      head_sha: opened.sha,
      conclusion: 'neutral',
      actions,
      output,
    } as const;
    const { data } = await bot.checks.create(wanted);
    await fixture.forgetDeliveries();
    return String(data.id);
  }

  test('tells its App who pressed which button', async () => {
    const run = await runWithButton();
    const path = `${pull}/checks?check_run_id=${run}`;
    const { location } = await fixture.post(path, { do: 'run-action', run, identifier: 'approve' });
    expect(location).toBe(path);
    expect(await sent()).toEqual(['check_run.requested_action']);
    expect(fixture.received[0]?.payload['requested_action']).toEqual({ identifier: 'approve' });
    expect(sender()).toBe('ada');
    await fixture.post(`/${repository.name}/runs/${run}`, { do: 'rerun', run });
    expect(await sent()).toContain('check_run.rerequested');
  });

  test('has no button for readers, and no other one than it shows', async () => {
    const run = await runWithButton();
    const unknown = await fixture.post(`${pull}/checks`, { do: 'run-action', run, identifier: 'reject' });
    expect(refusal(unknown)).toContain('Helm no longer offers this button.');
    fixture.visitor.login = 'ren';
    const page = await fixture.post(`${pull}/checks`, { do: 'run-action', run, identifier: 'approve' });
    expect(page.status).toBe(403);
    expect(await sent()).toEqual([]);
  });
});

describe('a file of a branch', () => {
  beforeEach(aPull);

  test('is changed by a commit that is pushed like any other', async () => {
    const path = `/${repository.name}/edit/topic/a.txt`;
    const { text } = await fixture.get(path);
    const sha = /name="sha" value="(\w+)"/.exec(text)?.[1] ?? '';
    const fields = { do: 'commit', sha, content: 'a\r\nmine\r\n', message: 'Add mine', ends: 'lf' };
    const { location } = await fixture.post(path, fields);
    expect(location).toBe(`${pull}/files`);
    expect(await sent()).toEqual(['push', 'pull_request.synchronize', 'check_suite.requested']);
    expect(fixture.received[0]?.payload['head_commit']).toMatchObject({
      message: 'Add mine',
      modified: ['a.txt'],
      author: { name: 'ada' },
    });
    expect((await fixture.get(`/${repository.name}/raw/topic/a.txt`)).text).toBe('a\nmine\n');
    const late = await fixture.post(path, { ...fields, content: 'late' });
    expect(late.status).toBe(409);
    expect(late.text).toContain('late</textarea>');
  });

  test('stays executable', async () => {
    await fixture.forge.seed.commit(repository.name, { 'run.sh': { content: 'exit 1\n', mode: '100755' } });
    const path = `/${repository.name}/edit/main/run.sh`;
    const sha = /name="sha" value="(\w+)"/.exec((await fixture.get(path)).text)?.[1] ?? '';
    await fixture.post(path, { do: 'commit', sha, content: 'exit 0\n', message: 'Pass', ends: 'lf' });
    const clone = await fixture.clone(repository);
    expect(await clone.git('ls-tree', 'HEAD', 'run.sh')).toMatch(/^100755 blob /);
    expect(await clone.git('show', 'HEAD:run.sh')).toBe('exit 0');
  });

  test('is not changed against the rules of its branch', async () => {
    const { name } = repository;
    fixture.forge.seed.addRuleset(name, {
      rules: [{ type: 'pull_request', parameters: { required_approving_review_count: 1 } }],
    });
    const path = `/${name}/edit/main/README.md`;
    const sha = /name="sha" value="(\w+)"/.exec((await fixture.get(path)).text)?.[1] ?? '';
    const page = await fixture.post(path, { do: 'commit', sha, content: 'x', message: 'x', ends: 'lf' });
    expect(page.status).toBe(422);
    expect(refusal(page)).toContain('Changes must be made through a pull request.');
    expect(await sent()).toEqual([]);
  });

  test('is not offered to readers for editing', async () => {
    fixture.visitor.login = 'ren';
    const path = `/${repository.name}/edit/topic/a.txt`;
    expect((await fixture.get(path)).status).toBe(403);
    expect((await fixture.get(`${pull}/files`)).text).not.toContain('/edit/');
    const page = await fixture.post(path, { do: 'commit', sha: '', content: 'x', message: 'x', ends: 'lf' });
    expect(page.status).toBe(403);
  });
});
