import type { TestRepository } from './fixture.ts';
import type { WebsiteFixture } from './website-fixture.ts';

/** Text that must be shown as it is, wherever it comes from. */
export const hostile = `<script>window.broken = 1</script><img src=x onerror="window.broken=2"> "'&`;

/** A repository that has seen an issue, a pull request with checks and reviews, and a merge. */
export interface Story {
  repository: TestRepository;
  /** Its path, such as `/ada/widgets-1`. */
  at: string;
  issue: number;
  /** Open and ready, with checks. */
  pull: number;
  merged: number;
  draft: number;
  /** The newest commit of `pull`. */
  head: string;
  /** A check run with buttons, annotations and a long text. */
  run: number;
}

const readme = `# Widgets

| Part | Price |
| --- | ---: |
| Bolt | 3 |

<details><summary>More</summary>

- [x] done
- [ ] to do

</details>
`;

const files = {
  'README.md': readme,
  'src/total.js': 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n',
  'docs/odd #1 100%.txt': 'odd\n',
  'logo.bin': 'a\0b',
};

export async function playStory(fixture: WebsiteFixture): Promise<Story> {
  const repository = await fixture.repository({ files });
  const issue = await playIssue(fixture, repository);
  const merged = await playMerge(fixture, repository);
  const { number: draft } = await openPull(fixture, repository, { branch: 'later', draft: true });
  const { number: pull, sha } = await openPull(fixture, repository, { branch: 'coxswain/1-discount', issue });
  const run = await playChecks(repository, sha);
  const head = await playReviews(fixture, repository, { pull, sha });
  await playChecks(repository, head);
  fixture.forge.seed.addRuleset(repository.name, {
    rules: [
      {
        type: 'required_status_checks',
        parameters: {
          required_status_checks: [{ context: 'tests' }, { context: 'docs', integration_id: fixture.app.id }],
        },
      },
    ],
  });
  return { repository, at: `/${repository.name}`, issue, pull, merged, draft, head, run };
}

async function playIssue(fixture: WebsiteFixture, { at, bot }: TestRepository): Promise<number> {
  const [ren, ada] = [fixture.person('ren'), fixture.person('ada')];
  for (const name of ['agent: go', 'bug']) {
    await ada.issues.createLabel({ ...at, name, color: 'd73a4a', description: 'Labels & more' });
  }
  const body = `The total is wrong.\n\n${hostile}\n\n\`\`\`\nnode total.js\n\`\`\``;
  const { data } = await ren.issues.create({ ...at, title: 'Give a discount', body });
  const there = { ...at, issue_number: data.number };
  await ada.issues.addLabels({ ...there, labels: ['agent: go', 'bug'] });
  await ada.issues.removeLabel({ ...there, name: 'bug' });
  await ada.issues.update({ ...there, title: `Give a discount ${hostile}` });
  const comment = await bot.issues.createComment({ ...there, body: `Starting. See #${data.number}, @ren.` });
  await ren.reactions.createForIssueComment({ ...at, comment_id: comment.data.id, content: '+1' });
  await ada.issues.update({ ...there, state: 'closed', state_reason: 'not_planned' });
  await ada.issues.update({ ...there, state: 'open' });
  return data.number;
}

async function playMerge(fixture: WebsiteFixture, repository: TestRepository): Promise<number> {
  const { number } = await openPull(fixture, repository, { branch: 'earlier' });
  await fixture.person('ada').pulls.merge({ ...repository.at, pull_number: number });
  return number;
}

interface WantedPull {
  branch: string;
  draft?: boolean;
  issue?: number;
}

async function openPull(
  fixture: WebsiteFixture,
  repository: TestRepository,
  { branch, draft = false, issue }: WantedPull,
): Promise<{ number: number; sha: string }> {
  const clone = await fixture.clone(repository);
  await clone.git('checkout', '--quiet', '-b', branch);
  const file = `${branch.replace(/\W/g, '-')}.js`;
  await clone.commit(`Add ${file}`, { [file]: `// ${hostile}\nexport const discount = 0.1;\n` });
  await clone.git('rm', '--quiet', '--ignore-unmatch', 'logo.bin');
  const changed = {
    'src/total.js': 'export const total = () => 1;\n',
    '<b>odd.txt': `${branch} ${hostile}\n`,
  };
  const sha = await clone.commit('Remove what is odd\n\nIt was odd.', changed);
  await clone.git('push', '--quiet', 'origin', branch);
  const body = `${issue === undefined ? '' : `Fixes #${issue}\n\n`}### What it does\n\n${readme}\n${hostile}`;
  const { data } = await repository.bot.pulls.create({
    ...repository.at,
    head: branch,
    base: 'main',
    title: `Pull ${branch} ${hostile}`,
    body,
    draft,
  });
  return { number: data.number, sha };
}

/** One check run of each kind, and a status; returns the one with buttons. */
async function playChecks({ at, bot }: TestRepository, head_sha: string): Promise<number> {
  const annotation = {
    path: 'docs/odd #1 100%.txt',
    start_line: 1,
    end_line: 2,
    annotation_level: 'warning',
    title: hostile,
    message: `Look here. ${hostile}`,
    raw_details: hostile,
  } as const;
  const { data } = await bot.checks.create({
    ...at,
    name: 'Coxswain',
    head_sha,
    conclusion: 'action_required',
    output: {
      title: `Waiting for a human ${hostile}`,
      summary: `## Verdict\n\n| Check | Result |\n| --- | --- |\n| tests | failed |\n\n${hostile}`,
      text: `#### Details\n\n| a | |\n| - | - |\n| 1 | 2 |\n\n~~~\nnot ok 1\n~~~\n\n${hostile}`,
      annotations: [annotation],
    },
    actions: [
      { label: 'Approve', description: 'Accept this commit', identifier: 'approve' },
      { label: 'Reject', description: 'Stop the run', identifier: 'reject' },
    ],
  });
  await bot.checks.create({ ...at, name: 'tests', head_sha, conclusion: 'failure' });
  await bot.checks.create({ ...at, name: 'lint', head_sha, status: 'in_progress' });
  const status = { ...at, sha: head_sha, context: 'deploy', description: hostile } as const;
  await bot.repos.createCommitStatus({ ...status, state: 'success', target_url: 'http://deploy.test/1' });
  return data.id;
}

/** Reviews, a forced push, an approval of what was pushed; returns the new head. */
async function playReviews(
  fixture: WebsiteFixture,
  repository: TestRepository,
  { pull, sha }: { pull: number; sha: string },
): Promise<string> {
  const wil = fixture.person('wil');
  const there = { ...repository.at, pull_number: pull };
  const comments = [{ path: 'src/total.js', line: 1, body: `Why 1? ${hostile}` }];
  await wil.pulls.createReview({ ...there, event: 'REQUEST_CHANGES', body: hostile, comments });
  const clone = await fixture.clone(repository);
  await clone.git('checkout', '--quiet', '-b', 'coxswain/1-discount', `${sha}~1`);
  const head = await clone.commit('Compute the total', { 'src/total.js': 'export const total = () => 2;\n' });
  await clone.git('push', '--quiet', '--force', 'origin', 'coxswain/1-discount');
  await wil.pulls.createReview({ ...there, event: 'APPROVE', body: '' });
  const issue = { ...repository.at, issue_number: pull };
  await wil.issues.createComment({ ...issue, body: `Well done. ${hostile}` });
  return head;
}
