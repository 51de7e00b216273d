import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, httpErrorOf, startFixture, type TestRepository } from './fixture.ts';
import { openPull } from './open-pull.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => {
  expect(fixture.recorder.problems).toEqual([]);
  await fixture.end();
});

const seed = () => fixture.forge.seed;
const message = 'Say hello\n\nCoxswain-Run: 1\n';

/** A commit through the API with the files of the default branch. */
async function made({ at, bot }: TestRepository, more: object = {}, client = bot) {
  const { data: branch } = await bot.repos.getBranch({ ...at, branch: 'main' });
  const { tree } = branch.commit.commit;
  const asked = { ...at, message, tree: tree.sha, parents: [branch.commit.sha], ...more };
  return (await client.git.createCommit(asked)).data;
}

test('a commit that an App makes without an author is signed, and Git has it with the signature', async () => {
  const repository = await fixture.repository();
  const commit = await made(repository);
  const { verification, sha } = commit;
  expect(commit).toMatchObject({
    author: { name: expect.stringMatching(/\[bot\]$/) },
    committer: { name: 'GitHub', email: 'noreply@github.com' },
    verification: { verified: true, reason: 'valid' },
  });
  expect(verification.signature).toMatch(
    /^-----BEGIN PGP SIGNATURE-----\n\n[\s\S]*\n-----END PGP SIGNATURE-----\n$/,
  );
  expect(verification.payload?.endsWith(message)).toBe(true);
  const clone = await fixture.clone(repository);
  await repository.bot.git.createRef({ ...repository.at, ref: 'refs/heads/signed', sha });
  await clone.git('fetch', '--quiet', 'origin', 'signed');
  expect(await clone.git('cat-file', 'commit', 'FETCH_HEAD')).toContain(
    '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n',
  );
  const { data } = await repository.bot.repos.getCommit({ ...repository.at, ref: 'signed' });
  expect(data.commit.verification).toMatchObject({ verified: true, payload: verification.payload });
});

test('what a person makes, what names an author, and what a server without keys makes is not signed', async () => {
  const repository = await fixture.repository();
  const author = { name: 'Ada', email: 'ada@example.com' };
  const unsigned = { verified: false, reason: 'unsigned', signature: null };
  expect(await made(repository, {}, fixture.person('wil'))).toMatchObject({ verification: unsigned });
  expect(await made(repository, { author })).toMatchObject({ author, verification: unsigned });
  seed().setSigning('none');
  expect(await made(repository)).toMatchObject({ verification: unsigned });
  seed().clearFaults();
});

test('a commit needs a tree and parents that are there', async () => {
  const repository = await fixture.repository();
  for (const more of [{ tree: '1'.repeat(40) }, { parents: ['1'.repeat(40)] }])
    expect(await httpErrorOf(made(repository, more))).toMatchObject({ status: 422 });
});

test('a ruleset refuses commits without a signature, of a new branch only its own', async () => {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository, fixture.token('wil'));
  seed().addRuleset(repository.name, { include: ['~ALL'], rules: [{ type: 'required_signatures' }] });
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/same');
  const own = await clone.commit('Unsigned', { 'a.txt': 'a\n' });
  const { code, stderr } = await clone.attempt('push', 'origin', 'HEAD:refs/heads/topic');
  expect(code).not.toBe(0);
  expect(stderr).toContain('GH013: Repository rule violations found for refs/heads/topic.');
  const words = `- Commits must have verified signatures.\n  Found 1 violation:\n\n  ${own}\n`;
  expect(stderr.replace(/^remote: ?|[ \t]+$/gm, '')).toContain(words);
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/unsigned/1');
  const { sha } = await made(repository);
  await repository.bot.git.createRef({ ...repository.at, ref: 'refs/heads/signed', sha });
  const refused = repository.bot.git.updateRef({
    ...repository.at,
    ref: 'heads/signed',
    sha: own,
    force: true,
  });
  expect(await httpErrorOf(refused)).toMatchObject({ status: 422 });
});

test('the classic protection spares new branches, and says to everybody that it wants signatures', async () => {
  const repository = await fixture.repository();
  const clone = await fixture.clone(repository, fixture.token('wil'));
  const checks = { strict: false, checks: [] };
  seed().addProtection(repository.name, 'topic', {
    required_status_checks: checks,
    required_signatures: true,
  });
  await clone.commit('First', { 'a.txt': 'a\n' });
  await clone.git('push', '--quiet', 'origin', 'HEAD:refs/heads/topic');
  await clone.commit('Second', { 'a.txt': 'b\n' });
  const { stderr } = await clone.attempt('push', 'origin', 'HEAD:refs/heads/topic');
  expect(stderr).toContain('GH006: Protected branch update failed for refs/heads/topic.');
  expect(stderr).toContain('Commits must have verified signatures.');
  const query = `query($owner: String!, $repo: String!) {
    repository(owner: $owner, name: $repo) {
      topic: ref(qualifiedName: "refs/heads/topic") { refUpdateRule { requiresSignatures } }
      main: ref(qualifiedName: "refs/heads/main") { refUpdateRule { requiresSignatures } }
    }
  }`;
  expect(await repository.bot.graphql(query, repository.at)).toEqual({
    repository: { topic: { refUpdateRule: { requiresSignatures: true } }, main: { refUpdateRule: null } },
  });
});

test('unsigned commits can be squashed into a base that wants signatures, but neither merged nor rebased', async () => {
  const { repository, number } = await openPull(fixture);
  const { at, bot } = repository;
  seed().addRuleset(repository.name, { rules: [{ type: 'required_signatures' }] });
  for (const merge_method of ['merge', 'rebase'] as const)
    expect(await httpErrorOf(bot.pulls.merge({ ...at, pull_number: number, merge_method }))).toMatchObject({
      status: 405,
      message: expect.stringContaining('Commits must have verified signatures.'),
    });
  const { data } = await bot.pulls.merge({ ...at, pull_number: number, merge_method: 'squash' });
  const { data: squashed } = await bot.repos.getCommit({ ...at, ref: data.sha });
  expect(squashed.commit.verification).toMatchObject({ verified: true });
});
