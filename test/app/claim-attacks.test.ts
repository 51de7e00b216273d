import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { branchName, claimId } from '../../src/runs/start/open-run.ts';
import { workCopy } from '../git/work-copy.ts';
import { type AppFixture, expectNoProblems, name, startAppFixture } from './app-fixture.ts';
import { at, type Person } from './person.ts';

/** Someone with write access knows which branch a run will claim, and is there first. */
let fixture: AppFixture;

beforeAll(async () => {
  fixture = await startAppFixture();
});

afterEach(() => expectNoProblems(fixture, /passed over the branch coxswain\/\S+ of acme\/widgets/));
afterAll(() => fixture?.end());

const title = 'Widgets are wrong';

/** The branch that the first run of an issue will claim. */
async function firstClaim(issue: number): Promise<string> {
  const { data } = await fixture.bob.octokit.rest.repos.get(at);
  return branchName(title, claimId(data.id, `issue:${issue}`, 1));
}

/** Pushes a commit with a claim's trailers and something else in it; returns its id. */
async function squats(by: Person, branch: string, issue: number): Promise<string> {
  const copy = await workCopy();
  try {
    const url = `${fixture.forge.url.replace('://', `://x-access-token:${by.token}@`)}/${name}.git`;
    await copy.git('fetch', '--quiet', url, 'main');
    await copy.git('checkout', '--quiet', '-b', 'evil', 'FETCH_HEAD');
    const trailers = [
      `Coxswain-Cause: issue:${issue}:run`,
      `Coxswain-Issue: ${issue}`,
      'Coxswain-Requested-By: mia (1)',
      `Coxswain-Task: ${JSON.stringify(title)}`,
      `Coxswain-Seal: v1 test ${'A'.repeat(43)}`,
    ];
    await copy.write({ 'evil.txt': 'not asked for\n' });
    await copy.git('add', '.');
    await copy.git('commit', '--quiet', '-m', `Start: ${title}\n\n${trailers.join('\n')}`);
    await copy.git('push', '--quiet', url, `evil:refs/heads/${branch}`);
    return (await copy.git('rev-parse', 'evil')).trim();
  } finally {
    await copy.remove();
  }
}

async function expectWithoutEvil(branch: string): Promise<void> {
  const { data } = await fixture.mia.octokit.rest.repos.compareCommitsWithBasehead({
    ...at,
    basehead: `main...${branch}`,
  });
  expect(data.files?.map(({ filename }) => filename)).not.toContain('evil.txt');
}

describe('a branch that someone pushed under the name of a claim', () => {
  test('is passed over', async () => {
    const { bob, mia } = fixture;
    const issue = await mia.opensIssue('Make it fine', title);
    const claimed = await firstClaim(issue);
    const evil = await squats(bob, claimed, issue);
    await mia.labels(issue);
    const pull = await mia.findsPullFor(issue);
    await pull.waitForPhase('awaiting_approval');
    expect(await pull.branch()).not.toBe(claimed);
    await expectWithoutEvil(await pull.branch());
    const { data } = await mia.octokit.rest.repos.getBranch({ ...at, branch: claimed });
    expect(data.commit.sha).toBe(evil);
  });

  test('is passed over with a pull request of theirs, whatever its body claims', async () => {
    const { bob, mia } = fixture;
    const issue = await mia.opensIssue('Make it fine', title);
    const claimed = await firstClaim(issue);
    await squats(bob, claimed, issue);
    const body = `Closes #${issue} by hand`;
    const opened = await bob.octokit.rest.pulls.create({ ...at, title, head: claimed, base: 'main', body });
    await mia.labels(issue);
    const pull = await mia.findsPullFor(issue);
    await pull.waitForPhase('awaiting_approval');
    expect(pull.number).not.toBe(opened.data.number);
    await expectWithoutEvil(await pull.branch());
    expect(await bob.looksAt(opened.data.number).checks()).toEqual([]);
  });

  test('is passed over when there are several of them', async () => {
    const { bob, mia } = fixture;
    const issue = await mia.opensIssue('Make it fine', title);
    const claimed = await firstClaim(issue);
    const id = claimed.slice(claimed.lastIndexOf('-') + 1);
    for (const slug of ['a', 'b', 'widgets']) await squats(bob, `coxswain/${slug}-${id}`, issue);
    await mia.labels(issue);
    const pull = await mia.findsPullFor(issue);
    await pull.waitForPhase('awaiting_approval');
    await expectWithoutEvil(await pull.branch());
  });

  test('ends the search when there are too many of them, and says so', async () => {
    const { bob, mia } = fixture;
    const issue = await mia.opensIssue('Make it fine', title);
    const { data: repository } = await bob.octokit.rest.repos.get(at);
    const { data: main } = await bob.octokit.rest.git.getRef({ ...at, ref: 'heads/main' });
    for (const round of [1, 2, 3]) {
      const id = claimId(repository.id, `issue:${issue}`, round);
      for (const slug of ['a', 'b', 'c', 'd', 'e'])
        await bob.octokit.rest.git.createRef({
          ...at,
          ref: `refs/heads/coxswain/${slug}-${id}`,
          sha: main.object.sha,
        });
    }
    await mia.labels(issue);
    await mia.looksAt(issue).waitForComment(/Coxswain did not create them, so no run was started/);
  });

  test('or leaves no room for any claim, is named', async () => {
    const { bob, mia } = fixture;
    const { data } = await bob.octokit.rest.git.listMatchingRefs({ ...at, ref: 'heads/coxswain/' });
    for (const { ref } of data)
      await bob.octokit.rest.git.deleteRef({ ...at, ref: ref.replace('refs/', '') });
    const { data: main } = await bob.octokit.rest.git.getRef({ ...at, ref: 'heads/main' });
    await bob.octokit.rest.git.createRef({ ...at, ref: 'refs/heads/coxswain', sha: main.object.sha });
    const issue = await mia.opensIssue('Make it fine', title);
    await mia.labels(issue);
    await mia.looksAt(issue).waitForComment(/There is a branch named `coxswain`/);
  });
});
